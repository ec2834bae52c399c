// SPDX-License-Identifier: Apache-2.0
//
// Objects as C has them: a copy of the record each, one per serial, found by an open hash table.
#ifndef OBJECTS_H
#define OBJECTS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "people.h"

typedef struct {
  uint64_t serial;
  uint32_t size;
  uint8_t record[];
} object;

typedef struct {
  object **slots;
  uint64_t capacity, count;
} objects;

static inline uint64_t objects_slot(const objects *all, uint64_t serial) {
  uint64_t i = (serial * 0x9E3779B97F4A7C15u) >> 20 & (all->capacity - 1);
  while (all->slots[i] && all->slots[i]->serial != serial) i = (i + 1) & (all->capacity - 1);
  return i;
}

static inline object *objects_find(const objects *all, uint64_t serial) {
  return all->capacity ? all->slots[objects_slot(all, serial)] : NULL;
}

static inline void objects_grow(objects *all) {
  objects old = *all;
  all->capacity = old.capacity ? old.capacity * 2 : 1024;
  all->slots = calloc(all->capacity, sizeof *all->slots);
  for (uint64_t i = 0; i < old.capacity; i++)
    if (old.slots[i]) all->slots[objects_slot(all, old.slots[i]->serial)] = old.slots[i];
  free(old.slots);
}

/// Registers a new object with a copy of the record.
static inline object *objects_add(
    objects *all, uint64_t serial, const void *record, size_t size) {
  if (all->count * 2 >= all->capacity) objects_grow(all);
  object *made = malloc(sizeof *made + size);
  made->serial = serial;
  made->size = (uint32_t)size;
  memcpy(made->record, record, size);
  all->slots[objects_slot(all, serial)] = made;
  all->count++;
  return made;
}

static inline void objects_free(objects *all) {
  for (uint64_t i = 0; i < all->capacity; i++) free(all->slots[i]);
  free(all->slots);
  *all = (objects){0};
}

#endif
