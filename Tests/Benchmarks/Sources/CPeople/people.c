// SPDX-License-Identifier: Apache-2.0
#include "people.h"
#include <stdio.h>
#include <stdlib.h>

static void letters(uint64_t seed, char *text, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (i % 8 == 0) seed = people_mix(seed);
    text[i] = (char)('a' + (seed >> (i % 8 * 8) & 0xFF) % 26);
  }
  text[count] = 0;
}

void people_name(uint64_t index, char *text) {
  letters(index + 0x6E616D65u, text, name_size);
}

const people *people_make_members(uint64_t count, uint64_t spare) {
  // `people` is constant to everybody but its maker.
  people *data = (people *)people_make(count, spare);
  data->company_count = 1;
  for (uint64_t i = 1; i <= data->person_count; i++) data->persons[i].company = i <= count;
  return data;
}

const people *people_make(uint64_t scale, uint64_t extra) {
  people *data = calloc(1, sizeof *data);
  data->scale = scale;
  data->person_count = scale + extra;
  data->name_count = scale < 32 ? 1 : scale / 32;
  data->company_count = scale < 100 ? 1 : scale / 100;
  data->persons = calloc(data->person_count + 1, sizeof *data->persons);
  data->companies = calloc(data->company_count + 1, sizeof *data->companies);
  if (!data->persons || !data->companies) {
    fprintf(stderr, "benchmarks: no memory for the data\n");
    exit(1);
  }
  for (uint64_t i = 1; i <= data->company_count; i++)
    letters(i + 0x636F6D70u, data->companies[i].name, company_name_size);
  for (uint64_t i = 1; i <= data->person_count; i++) {
    person_row *row = &data->persons[i];
    uint64_t seed = people_mix(i * 8);
    people_name(people_mix(seed + 1) % data->name_count, row->name);
    snprintf(row->email, sizeof row->email, "%016llx@mail.eu", (unsigned long long)people_mix(i));
    row->email[email_size] = 0;
    letters(seed + 2, row->bio, bio_size);
    row->age = (int64_t)(people_mix(seed + 3) % age_bound);
    row->score = (double)(people_mix(seed + 4) >> 11) / (double)(1ull << 53) * 100;
    row->created = 1.6e9 + (double)(people_mix(seed + 5) % 100000000);
    row->company = (uint32_t)(1 + people_mix(seed + 6) % data->company_count);
  }
  return data;
}
