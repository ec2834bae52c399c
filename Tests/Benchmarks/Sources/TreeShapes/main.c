// SPDX-License-Identifier: Apache-2.0
//
// TreeShapes: how should records and indexes be laid out over LMDB's trees?
//
// The same objects and saves are written in six shapes, and time, pages and size compared:
//   A  a tree per entity, a tree per index, catalog, history
//   B  a tree per kind: records, indexes, links, catalog, history; entity and index are prefixes
//   C  a tree per entity, one tree for indexes and links, catalog, history
//   D  everything in the main tree, behind a kind byte
//   E  two trees per entity, its records and its numbered indexes; catalog, history
//   F  a tree per entity, its numbered indexes and then its records; catalog, history
// A record is 140 bytes with its envelope of 12. Every save writes its records in ID order and its
// index entries sorted, appends where a key is above the tree's last and puts otherwise, updates
// one catalog entry and adds 60 bytes of history. Shapes take turns; ratios are paired in a round.
//
//   gcc -std=c11 -O2 -Wall -Wextra main.c -llmdb -o tree-shapes
//   ./tree-shapes <empty directory on a real disk> [rounds = 5] [objects = 100000] > figures.md
//
// Pages are counted by standing in front of liblmdb's pwrite and writev (Linux, shared liblmdb).
#define _GNU_SOURCE
#include <lmdb.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// MARK: - Counting writes

static uint64_t written_bytes, write_calls;

ssize_t pwrite(int fd, const void *p, size_t n, off_t at) {
  if (n >= 4096) written_bytes += n;
  write_calls++;
  return syscall(SYS_pwrite64, fd, p, n, at);
}

ssize_t writev(int fd, const struct iovec *v, int n) {
  for (int i = 0; i < n; i++) written_bytes += v[i].iov_len;
  write_calls++;
  return syscall(SYS_writev, fd, v, n);
}

// MARK: - Small tools

static void check(int rc, const char *what) {
  if (rc) {
    fprintf(stderr, "%s: %s\n", what, mdb_strerror(rc));
    exit(1);
  }
}

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static double wall(void) { return seconds(CLOCK_MONOTONIC); }
static double cpu(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }

static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static void big_endian(uint8_t *to, uint64_t v, int n) {
  for (int i = n - 1; i >= 0; i--, v >>= 8) to[i] = (uint8_t)v;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static double median(const double *v, int n) {
  double copy[n];
  memcpy(copy, v, sizeof copy);
  qsort(copy, (size_t)n, sizeof *copy, by_value);
  return n % 2 ? copy[n / 2] : (copy[n / 2 - 1] + copy[n / 2]) / 2;
}

// MARK: - Shapes

enum { shapes = 6, max_slots = 1024, max_entities = 256 };
static const char *shape_names = "ABCDEF";

/// A logical tree: an LMDB tree and a prefix in it.
typedef struct {
  int slot, n;
  uint8_t prefix[3];
} Place;

typedef struct {
  char shape;
  int entities;
  int index_base[max_entities]; // number of the first of three indexes, -1 for none
  int first_slot[max_entities];
  int indexes;
  uint64_t names, companies;
  int slots;
} Model;

static Place place(int slot, int n, unsigned kind, int number) {
  Place p = {slot, n, {0}};
  if (n == 3) p.prefix[0] = (uint8_t)kind;
  if (n == 1) p.prefix[0] = (uint8_t)kind;
  if (n >= 2) p.prefix[n - 2] = (uint8_t)(number >> 8), p.prefix[n - 1] = (uint8_t)number;
  return p;
}
static Place catalog_place(const Model *m) {
  return place(0, m->shape == 'D', 0, 0);
}
static Place history_place(const Model *m) {
  return m->shape == 'D' ? place(0, 1, 0x40, 0) : place(1, 0, 0, 0);
}
static Place record_place(const Model *m, int entity) {
  switch (m->shape) {
  case 'D': return place(0, 3, 0x10, entity);
  case 'B': return place(2, 2, 0, entity);
  case 'F': return place(m->first_slot[entity], 1, 0xff, 0);
  default: return place(m->first_slot[entity], 0, 0, 0);
  }
}
static Place index_place(const Model *m, int entity, int k) {
  int index = m->index_base[entity] + k;
  switch (m->shape) {
  case 'D': return place(0, 3, 0x20, index);
  case 'B': return place(3, 2, 0, index);
  case 'C': return place(2 + m->entities, 2, 0, index);
  case 'E': return place(m->first_slot[entity] + 1, 1, (unsigned)k, 0);
  case 'F': return place(m->first_slot[entity], 1, (unsigned)k, 0);
  default: return place(m->first_slot[entity] + 1 + k, 0, 0, 0);
  }
}
static Model make_model(char shape, int entities, bool companies, uint64_t n) {
  Model m = {.shape = shape, .entities = entities, .names = n / 32, .companies = n / 100};
  for (int e = 0; e < entities; e++) {
    m.index_base[e] = companies && e == 0 ? -1 : m.indexes;
    if (m.index_base[e] >= 0) m.indexes += 3;
    int before = shape == 'A' && m.index_base[e] > 0 ? m.index_base[e] : 0;
    m.first_slot[e] = 2 + (shape == 'E' ? 2 * e : e + before);
  }
  m.slots = shape == 'A'   ? 2 + entities + m.indexes
            : shape == 'B' ? 5 // catalog, history, records, indexes, links
            : shape == 'C' ? 3 + entities
            : shape == 'D' ? 1
            : shape == 'E' ? 2 + 2 * entities
                           : 2 + entities;
  return m;
}

// MARK: - Store

typedef struct {
  Model model;
  char path[512];
  MDB_env *env;
  MDB_dbi dbi[max_slots];
  MDB_cursor *cursor[max_slots];
  uint8_t last[max_slots][48];
  size_t last_size[max_slots];
  int touched[max_slots], touched_count;
  uint64_t generation;
} Store;

static void open_env(Store *s) {
  check(mdb_env_create(&s->env), "create");
  check(mdb_env_set_maxdbs(s->env, (MDB_dbi)s->model.slots + 4), "maxdbs");
  check(mdb_env_set_maxreaders(s->env, 1024), "maxreaders");
  check(mdb_env_set_mapsize(s->env, (size_t)64 << 30), "mapsize");
  check(mdb_env_open(s->env, s->path, MDB_NOSUBDIR | MDB_NOTLS, 0600), "open");
}
static void open_tree(Store *s, MDB_txn *txn, int slot, unsigned flags) {
  char name[16];
  snprintf(name, sizeof name, "t%03d", slot);
  check(mdb_dbi_open(txn, s->model.shape == 'D' ? NULL : name, flags, &s->dbi[slot]), "dbi_open");
}

static void put(Store *s, MDB_txn *txn, int slot, const uint8_t *key, size_t size,
                const void *value, size_t n) {
  MDB_val k = {size, (void *)key}, v = {n, (void *)value};
  if (!s->cursor[slot]) {
    check(mdb_cursor_open(txn, s->dbi[slot], &s->cursor[slot]), "cursor");
    s->touched[s->touched_count++] = slot;
    MDB_val lk, lv;
    s->last_size[slot] = 0;
    if (mdb_cursor_get(s->cursor[slot], &lk, &lv, MDB_LAST) == 0) {
      s->last_size[slot] = lk.mv_size;
      memcpy(s->last[slot], lk.mv_data, lk.mv_size);
    }
  }
  size_t shorter = size < s->last_size[slot] ? size : s->last_size[slot];
  int order = memcmp(key, s->last[slot], shorter);
  bool above = order > 0 || (order == 0 && size > s->last_size[slot]);
  check(mdb_cursor_put(s->cursor[slot], &k, &v, above ? MDB_APPEND : 0), "put");
  if (above) {
    s->last_size[slot] = size;
    memcpy(s->last[slot], key, size);
  }
}

// MARK: - Objects

typedef struct {
  int entity;
  uint64_t serial;
} Object;

typedef struct {
  uint8_t envelope[12]; // checksum, generation
  uint8_t header[20];   // model version, presence, offsets
  int64_t age;
  double score;
  int64_t created;
  uint64_t company;
  char name[12], email[24], bio[40];
} Record;
_Static_assert(sizeof(Record) == 144, "four bytes of tail padding are not written");
enum { record_size = 140, company_size = 64 };

static void name_of(uint64_t id, char *to) {
  uint64_t h = mix(id ^ 0xabcdef);
  for (int i = 0; i < 12; i++, h = mix(h)) to[i] = (char)('a' + h % 26);
}

/// Ages that ascend with the serial, as dates of creation do; saves that leave the catalog alone.
static bool ascending, quiet;

static void build(const Model *m, Object o, uint64_t generation, uint8_t *out) {
  Record r;
  uint64_t h = mix(o.serial * 257 + (uint64_t)o.entity);
  memset(r.header, 1, sizeof r.header);
  r.age = ascending ? (int64_t)(o.serial * 1000) : (int64_t)(h % 100000);
  r.score = (double)(h >> 20);
  r.created = (int64_t)(h >> 12);
  r.company = 1 + mix(h) % m->companies;
  name_of(mix(h + 1) % m->names, r.name);
  memset(r.email, 'e', sizeof r.email);
  memcpy(r.email, &h, 8);
  memset(r.bio, 'b', sizeof r.bio);
  // Packed: the fixed slots, then the variable part.
  uint8_t *p = out + 12;
  memcpy(p, r.header, 20), p += 20;
  memcpy(p, &r.age, 8), memcpy(p + 8, &r.score, 8), memcpy(p + 16, &r.created, 8);
  memcpy(p + 24, &r.company, 8), p += 32;
  memcpy(p, r.name, 12), memcpy(p + 12, r.email, 24), memcpy(p + 36, r.bio, 40);
  uint64_t sum = generation;
  for (int i = 12; i < record_size; i += 8) {
    uint64_t w;
    memcpy(&w, out + i, 8);
    sum = (sum ^ w) * 0x9e3779b97f4a7c15u, sum ^= sum >> 29;
  }
  memcpy(out, &sum, 4);
  memcpy(out + 4, &generation, 8);
}
static int64_t age_in(const uint8_t *r) { int64_t v; memcpy(&v, r + 32, 8); return v; }
static uint64_t company_in(const uint8_t *r) { uint64_t v; memcpy(&v, r + 56, 8); return v; }
static const uint8_t *name_in(const uint8_t *r) { return r + 64; }

static size_t record_key(Place p, Object o, uint8_t *key) {
  memcpy(key, p.prefix, (size_t)p.n);
  big_endian(key + p.n, o.serial, 6);
  return (size_t)p.n + 6;
}

/// An index entry: value bytes, then entity and serial.
typedef struct {
  uint64_t head;
  uint8_t key[24];
  uint8_t size;
} Entry;

static bool less(const Entry *a, const Entry *b) {
  return a->head != b->head ? a->head < b->head : memcmp(a->key, b->key, a->size) < 0;
}
static void sort_entries(Entry *e, Entry *spare, size_t n) {
  if (n > 64) {
    Entry *from = e, *to = spare;
    for (int shift = 0; shift < 64; shift += 8) {
      size_t count[257] = {0};
      for (size_t i = 0; i < n; i++) count[1 + ((from[i].head >> shift) & 255)]++;
      bool same = false;
      for (int i = 1; i <= 256; i++) same = same || count[i] == n;
      if (same) continue;
      for (int i = 1; i <= 256; i++) count[i] += count[i - 1];
      for (size_t i = 0; i < n; i++) to[count[(from[i].head >> shift) & 255]++] = from[i];
      Entry *swap = from;
      from = to, to = swap;
    }
    if (from != e) memcpy(e, from, n * sizeof *e);
  }
  for (size_t i = 1; i < n; i++) { // equal heads, and short runs
    Entry x = e[i];
    size_t j = i;
    for (; j > 0 && less(&x, &e[j - 1]); j--) e[j] = e[j - 1];
    if (j != i) e[j] = x;
  }
}

static Entry *run[3], *spare;
static uint8_t *records;

static void begin_save(Store *s, MDB_txn *txn) {
  uint8_t key[16];
  Place p = catalog_place(&s->model);
  memcpy(key, p.prefix, (size_t)p.n);
  memcpy(key + p.n, "generation", 10);
  s->generation++;
  if (!quiet) put(s, txn, p.slot, key, (size_t)p.n + 10, &s->generation, 8);
}
static void end_save(Store *s, MDB_txn *txn) {
  uint8_t key[16], value[60] = {7};
  Place p = history_place(&s->model);
  memcpy(key, p.prefix, (size_t)p.n);
  big_endian(key + p.n, s->generation, 8);
  put(s, txn, p.slot, key, (size_t)p.n + 8, value, sizeof value);
  for (int i = 0; i < s->touched_count; i++) {
    mdb_cursor_close(s->cursor[s->touched[i]]);
    s->cursor[s->touched[i]] = NULL;
  }
  s->touched_count = 0;
}

static void put_records(Store *s, MDB_txn *txn, const Object *objects, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint8_t key[16];
    Place p = record_place(&s->model, objects[i].entity);
    size_t size = record_key(p, objects[i], key);
    bool company = s->model.index_base[objects[i].entity] < 0;
    put(s, txn, p.slot, key, size, records + i * record_size, company ? company_size : record_size);
  }
}

static void put_entries(Store *s, MDB_txn *txn, const Object *objects, size_t count) {
  const Model *m = &s->model;
  for (size_t from = 0; from < count;) {
    int entity = objects[from].entity;
    size_t to = from;
    for (; to < count && objects[to].entity == entity; to++) {
      const uint8_t *r = records + to * record_size;
      Entry *e[3] = {&run[0][to - from], &run[1][to - from], &run[2][to - from]};
      memcpy(e[0]->key, name_in(r), 12), e[0]->key[12] = 0, e[0]->size = 21;
      big_endian(e[1]->key, (uint64_t)age_in(r) ^ (1ull << 63), 8), e[1]->size = 16;
      big_endian(e[2]->key, company_in(r), 8), e[2]->size = 16;
      for (int k = 0; k < 3; k++) {
        big_endian(e[k]->key + e[k]->size - 8, (uint64_t)entity, 2);
        big_endian(e[k]->key + e[k]->size - 6, objects[to].serial, 6);
        uint64_t head;
        memcpy(&head, e[k]->key, 8);
        e[k]->head = __builtin_bswap64(head);
      }
    }
    if (m->index_base[entity] >= 0)
      for (int k = 0; k < 3; k++) {
        sort_entries(run[k], spare, to - from);
        Place p = index_place(m, entity, k);
        uint8_t key[32];
        memcpy(key, p.prefix, (size_t)p.n);
        for (size_t i = 0; i < to - from; i++) {
          memcpy(key + p.n, run[k][i].key, run[k][i].size);
          put(s, txn, p.slot, key, (size_t)p.n + run[k][i].size, "", 0);
        }
      }
    from = to;
  }
}

/// One durable save of new objects, grouped by entity in ascending order.
static void save(Store *s, const Object *objects, size_t count) {
  for (size_t i = 0; i < count; i++)
    build(&s->model, objects[i], s->generation + 1, records + i * record_size);
  MDB_txn *txn;
  check(mdb_txn_begin(s->env, NULL, 0, &txn), "begin");
  begin_save(s, txn);
  bool last = s->model.shape == 'F';
  if (!last) put_records(s, txn, objects, count);
  put_entries(s, txn, objects, count);
  if (last) put_records(s, txn, objects, count);
  end_save(s, txn);
  check(mdb_txn_commit(txn), "commit");
}

static void erase(Store *s) {
  char lock[600];
  snprintf(lock, sizeof lock, "%s-lock", s->path);
  unlink(s->path), unlink(lock);
}

/// A new store with its trees, a small catalog, and the companies where the model has them.
static void create(Store *s, Model m, const char *directory) {
  memset(s, 0, sizeof *s);
  s->model = m;
  snprintf(s->path, sizeof s->path, "%s/%c.strata", directory, m.shape);
  erase(s);
  open_env(s);
  MDB_txn *txn;
  check(mdb_txn_begin(s->env, NULL, 0, &txn), "begin");
  for (int i = 0; i < m.slots; i++) open_tree(s, txn, i, MDB_CREATE);
  begin_save(s, txn);
  for (int i = 0; i < 10; i++) {
    uint8_t key[16], value[100] = {1};
    Place p = catalog_place(&m);
    memcpy(key, p.prefix, (size_t)p.n);
    snprintf((char *)key + p.n, 12, "model%03d", i);
    put(s, txn, p.slot, key, (size_t)p.n + 8, value, sizeof value);
  }
  end_save(s, txn);
  check(mdb_txn_commit(txn), "commit");
  if (m.index_base[0] < 0) {
    Object *o = calloc(m.companies, sizeof *o);
    for (uint64_t i = 0; i < m.companies; i++) o[i] = (Object){0, i + 1};
    save(s, o, m.companies);
    free(o);
  }
}
static void destroy(Store *s) {
  mdb_env_close(s->env);
  erase(s);
}

// MARK: - Figures

enum { max_rounds = 32, max_metrics = 128 };
static struct {
  char name[96], unit[24];
  double v[shapes][max_rounds];
} metric[max_metrics];
static int metrics, rounds, current_round;

static void note(const char *name, const char *unit, int shape, double value) {
  int i = 0;
  for (; i < metrics; i++)
    if (strcmp(metric[i].name, name) == 0) break;
  if (i == metrics) {
    snprintf(metric[i].name, sizeof metric[i].name, "%s", name);
    snprintf(metric[i].unit, sizeof metric[i].unit, "%s", unit);
    metrics++;
  }
  metric[i].v[shape][current_round] = value;
}
static void note2(const char *a, const char *b, const char *unit, int shape, double value) {
  char name[96];
  snprintf(name, sizeof name, "%s: %s", a, b);
  note(name, unit, shape, value);
}

static double pages(const MDB_stat *t) {
  return (double)(t->ms_branch_pages + t->ms_leaf_pages + t->ms_overflow_pages);
}
static void note_size(Store *s, const char *what, int shape, double n, bool split) {
  MDB_envinfo info;
  MDB_txn *txn;
  MDB_stat stat;
  check(mdb_env_info(s->env, &info), "info");
  check(mdb_txn_begin(s->env, NULL, MDB_RDONLY, &txn), "begin");
  double live = 0, rec = 0;
  for (MDB_dbi d = 0; d < 2; d++)
    if (mdb_stat(txn, d, &stat) == 0) live += pages(&stat);
  for (int i = 0; i < s->model.slots && s->model.shape != 'D'; i++) {
    check(mdb_stat(txn, s->dbi[i], &stat), "stat");
    live += pages(&stat);
    for (int e = 0; e < s->model.entities; e++)
      if (record_place(&s->model, e).slot == i) {
        rec += pages(&stat);
        break;
      }
  }
  mdb_txn_abort(txn);
  note2(what, "file", "B/object", shape, (double)(info.me_last_pgno + 1) * 4096 / n);
  note2(what, "pages in use", "B/object", shape, live * 4096 / n);
  if (split && s->model.shape != 'D' && s->model.shape != 'F') {
    note2(what, "of them records", "B/object", shape, rec * 4096 / n);
    note2(what, "of them the rest", "B/object", shape, (live - rec) * 4096 / n);
  }
}

/// Saves all objects, `batch` at a time.
static void fill(Store *s, const Object *o, size_t n, size_t batch, const char *what, int shape) {
  uint64_t bytes = written_bytes, saves = 0;
  double t = wall(), c = cpu();
  for (size_t i = 0; i < n; i += batch, saves++) save(s, o + i, n - i < batch ? n - i : batch);
  note2(what, "time", "ns/object", shape, (wall() - t) * 1e9 / (double)n);
  note2(what, "CPU", "ns/object", shape, (cpu() - c) * 1e9 / (double)n);
  double written = (double)(written_bytes - bytes) / 4096;
  note2(what, "pages written", "per save", shape, written / (double)saves);
}

/// Single-object saves; the shapes take turns, 30 saves each.
static void single_saves(Store *s, const Object *o, size_t n, const char *what) {
  double t[shapes] = {0}, c[shapes] = {0};
  uint64_t bytes[shapes] = {0}, calls[shapes] = {0};
  for (size_t from = 0; from < n; from += 30)
    for (int k = 0; k < shapes; k++) {
      int x = (int)((size_t)k + from / 30 + (size_t)current_round) % shapes;
      uint64_t b = written_bytes, w = write_calls;
      double t0 = wall(), c0 = cpu();
      for (size_t i = from; i < from + 30 && i < n; i++) save(&s[x], o + i, 1);
      t[x] += wall() - t0, c[x] += cpu() - c0;
      bytes[x] += written_bytes - b, calls[x] += write_calls - w;
    }
  for (int x = 0; x < shapes; x++) {
    note2(what, "time", "us/save", x, t[x] * 1e6 / (double)n);
    note2(what, "CPU", "us/save", x, c[x] * 1e6 / (double)n);
    note2(what, "pages written", "per save", x, (double)bytes[x] / 4096 / (double)n);
    note2(what, "write calls", "per save", x, (double)calls[x] / (double)n);
  }
}

typedef struct {
  MDB_cursor *index, *record;
} Readers;

/// All objects of a name, each record read; returns the number of hits.
static int name_query(Store *s, Readers *r, int entity, uint64_t name, uint64_t *sum) {
  const Model *m = &s->model;
  Place pi = index_place(m, entity, 0), pr = record_place(m, entity);
  uint8_t lower[24], key[16];
  memcpy(lower, pi.prefix, (size_t)pi.n);
  name_of(name, (char *)lower + pi.n);
  lower[pi.n + 12] = 0;
  size_t size = (size_t)pi.n + 13;
  MDB_val k = {size, lower}, v;
  int hits = 0;
  for (int rc = mdb_cursor_get(r->index, &k, &v, MDB_SET_RANGE); rc == 0;
       rc = mdb_cursor_get(r->index, &k, &v, MDB_NEXT)) {
    if (k.mv_size < size || memcmp(k.mv_data, lower, size)) break;
    memcpy(key, pr.prefix, (size_t)pr.n);
    memcpy(key + pr.n, (uint8_t *)k.mv_data + size + 2, 6);
    MDB_val rk = {(size_t)pr.n + 6, key}, rv;
    check(mdb_cursor_get(r->record, &rk, &rv, MDB_SET_KEY), "get");
    *sum += (uint64_t)age_in(rv.mv_data);
    hits++;
  }
  return hits;
}
static Readers readers(Store *s, MDB_txn *txn, int entity) {
  Readers r;
  check(mdb_cursor_open(txn, s->dbi[index_place(&s->model, entity, 0).slot], &r.index), "cursor");
  check(mdb_cursor_open(txn, s->dbi[record_place(&s->model, entity).slot], &r.record), "cursor");
  return r;
}
static void close_readers(Readers r) { mdb_cursor_close(r.index), mdb_cursor_close(r.record); }

static uint64_t sums[shapes];

static void reads(Store *s, int shape, uint64_t n) {
  const Model *m = &s->model;
  MDB_txn *txn;
  check(mdb_txn_begin(s->env, NULL, MDB_RDONLY, &txn), "begin");
  Readers r = readers(s, txn, 1);
  Place p = record_place(m, 1);
  uint64_t sum = 0;
  double t = wall();
  for (uint64_t i = 0; i < n; i++) {
    uint8_t key[16];
    size_t size = record_key(p, (Object){1, 1 + mix(i) % n}, key);
    MDB_val k = {size, key}, v;
    check(mdb_cursor_get(r.record, &k, &v, MDB_SET_KEY), "get");
    sum += (uint64_t)age_in(v.mv_data);
  }
  note("W4 record by random ID", "ns/object", shape, (wall() - t) * 1e9 / (double)n);
  t = wall();
  uint8_t key[16];
  size_t size = record_key(p, (Object){1, 0}, key);
  MDB_val k = {size, key}, v;
  uint64_t seen = 0;
  for (int rc = mdb_cursor_get(r.record, &k, &v, MDB_SET_RANGE); rc == 0;
       rc = mdb_cursor_get(r.record, &k, &v, MDB_NEXT)) {
    if (memcmp(k.mv_data, p.prefix, (size_t)p.n)) break;
    sum += (uint64_t)age_in(v.mv_data);
    seen++;
  }
  note("W5 scan of all records", "ns/object", shape, (wall() - t) * 1e9 / (double)seen);
  t = wall();
  uint64_t hits = 0;
  for (uint64_t i = 0; i < 1000; i++)
    hits += (uint64_t)name_query(s, &r, 1, mix(i) % m->names, &sum);
  note("W6 query by name, records read", "ns/query", shape, (wall() - t) * 1e6);
  sums[shape] = sum + seen * 31 + hits * 37;
  close_readers(r);
  mdb_txn_abort(txn);
}

/// Opens the file and answers the first query; `lazy` opens only the trees of that query.
static double first_query(Store *s, int entity, bool lazy) {
  double v[15];
  for (int i = 0; i < 15; i++) {
    mdb_env_close(s->env);
    uint64_t sum = 0;
    double t = wall();
    open_env(s);
    MDB_txn *txn;
    check(mdb_txn_begin(s->env, NULL, MDB_RDONLY, &txn), "begin");
    if (lazy) {
      open_tree(s, txn, catalog_place(&s->model).slot, 0);
      int ri = record_place(&s->model, entity).slot, ii = index_place(&s->model, entity, 0).slot;
      if (s->model.shape != 'D') open_tree(s, txn, ri, 0), open_tree(s, txn, ii, 0);
    } else
      for (int j = 0; j < s->model.slots; j++) open_tree(s, txn, j, 0);
    Readers r = readers(s, txn, entity);
    if (!name_query(s, &r, entity, (uint64_t)i % s->model.names, &sum))
      fprintf(stderr, "no hits\n");
    close_readers(r);
    check(mdb_txn_commit(txn), "commit");
    v[i] = (wall() - t) * 1e6;
  }
  if (lazy) { // all trees again for the next step
    MDB_txn *txn;
    check(mdb_txn_begin(s->env, NULL, MDB_RDONLY, &txn), "begin");
    for (int j = 0; j < s->model.slots; j++) open_tree(s, txn, j, 0);
    check(mdb_txn_commit(txn), "commit");
  }
  return median(v, 15);
}

static bool private_tree(char shape, bool record) {
  return shape == 'A' || shape == 'E' || shape == 'F' || (shape == 'C' && record);
}
static void empty(Store *s, MDB_txn *txn, Place p, bool record) {
  if (private_tree(s->model.shape, record)) {
    check(mdb_drop(txn, s->dbi[p.slot], 0), "drop");
    return;
  }
  MDB_cursor *c;
  MDB_val k = {(size_t)p.n, p.prefix}, v;
  check(mdb_cursor_open(txn, s->dbi[p.slot], &c), "cursor");
  int rc = mdb_cursor_get(c, &k, &v, MDB_SET_RANGE);
  for (; rc == 0 && memcmp(k.mv_data, p.prefix, (size_t)p.n) == 0;
       rc = mdb_cursor_get(c, &k, &v, MDB_NEXT))
    check(mdb_cursor_del(c, 0), "delete");
  k = (MDB_val){(size_t)p.n, p.prefix};
  rc = mdb_cursor_get(c, &k, &v, MDB_SET_RANGE);
  if (rc == 0 && memcmp(k.mv_data, p.prefix, (size_t)p.n) == 0)
    fprintf(stderr, "left over\n"), exit(1);
  mdb_cursor_close(c);
}
/// Deletes all persons in one save: drops the trees that are theirs alone, walks the others' keys.
static void batch_delete(Store *s, int shape, uint64_t n) {
  double t = wall();
  MDB_txn *txn;
  check(mdb_txn_begin(s->env, NULL, 0, &txn), "begin");
  begin_save(s, txn);
  empty(s, txn, record_place(&s->model, 1), true);
  for (int k = 0; k < 3 && !(k == 1 && s->model.shape == 'E') && s->model.shape != 'F'; k++)
    empty(s, txn, index_place(&s->model, 1, k), false);
  end_save(s, txn);
  check(mdb_txn_commit(txn), "commit");
  note("W9b delete all in one batch", "ns/object", shape, (wall() - t) * 1e9 / (double)n);
}

static void transactions(Store *s, int shape, const char *what) {
  enum { times = 5000 };
  MDB_txn *txn;
  check(mdb_txn_begin(s->env, NULL, MDB_RDONLY, &txn), "begin");
  double t = wall();
  for (int i = 0; i < times; i++) mdb_txn_reset(txn), check(mdb_txn_renew(txn), "renew");
  note2(what, "read transaction, reset and renew", "ns", shape, (wall() - t) * 1e9 / times);
  mdb_txn_abort(txn);
  t = wall();
  for (int i = 0; i < times; i++)
    check(mdb_txn_begin(s->env, NULL, MDB_RDONLY, &txn), "begin"), mdb_txn_abort(txn);
  note2(what, "read transaction, begin and abort", "ns", shape, (wall() - t) * 1e9 / times);
  t = wall();
  for (int i = 0; i < times; i++)
    check(mdb_txn_begin(s->env, NULL, 0, &txn), "begin"), mdb_txn_abort(txn);
  note2(what, "write transaction, begin and abort", "ns", shape, (wall() - t) * 1e9 / times);
}

// MARK: - Scenarios

static Store store[shapes];
static Object *objects;

static int turn(int k) { return (k + current_round) % shapes; }

static void large(const char *directory, uint64_t n) {
  for (uint64_t i = 0; i < n + 450; i++) objects[i] = (Object){1, i + 1};
  for (int bulk = 1; bulk >= 0; bulk--) {
    const char *name = bulk ? "W1 one save of N" : "W2 saves of 1,000";
    for (int k = 0; k < shapes; k++) {
      int x = turn(k);
      create(&store[x], make_model(shape_names[x], 2, true, n), directory);
      fill(&store[x], objects, n, bulk ? n : 1000, name, x);
      note_size(&store[x], name, x, (double)n, true);
    }
    if (!bulk)
      for (int k = 0; k < shapes; k++) reads(&store[turn(k)], turn(k), n);
    for (int x = 0; x < shapes; x++)
      if (sums[x] != sums[0])
        fprintf(stderr, "shape %c reads something else\n", shape_names[x]), exit(1);
    single_saves(store, objects + n, 300,
                 bulk ? "W3 one object per save, after W1" : "W3 one object per save, after W2");
    if (!bulk) {
      quiet = true;
      single_saves(store, objects + n + 300, 150, "W3 the same, no catalog entry");
      quiet = false;
      for (int k = 0; k < shapes; k++)
        note("W12 open and first query", "us", turn(k), first_query(&store[turn(k)], 1, false));
      for (int k = 0; k < shapes; k++) batch_delete(&store[turn(k)], turn(k), n);
    }
    for (int x = 0; x < shapes; x++) destroy(&store[x]);
  }
}

static void ascending_dates(const char *directory, uint64_t n) {
  ascending = true;
  for (int k = 0; k < shapes; k++) {
    int x = turn(k);
    create(&store[x], make_model(shape_names[x], 2, true, n), directory);
    fill(&store[x], objects, n, 1000, "W2 with an ascending date indexed", x);
    note_size(&store[x], "W2 with an ascending date indexed", x, (double)n, true);
    destroy(&store[x]);
  }
  ascending = false;
}

static void three_entities(const char *directory, uint64_t n) {
  static const char *names[] = {
      "3 entities, one after another, in order of number", "3 entities, the highest number first",
      "3 entities, taking turns, a save each", "3 entities, all in every save"};
  n -= n % 3000;
  for (int way = 0; way < 4; way++) {
    uint64_t next[3] = {1, 1, 1}, third = n / 3;
    for (uint64_t i = 0; i < n; i++) {
      int e = way == 0   ? (int)(i / third)
              : way == 1 ? 2 - (int)(i / third)
              : way == 2 ? (int)(i / 1000 % 3)
                         : (i % 1000 < 333 ? 0 : i % 1000 < 667 ? 1 : 2);
      objects[i] = (Object){e, next[e]++};
    }
    for (int k = 0; k < shapes; k++) {
      int x = turn(k);
      create(&store[x], make_model(shape_names[x], 3, false, n), directory);
      fill(&store[x], objects, n, 1000, names[way], x);
      note_size(&store[x], names[way], x, (double)n, true);
      destroy(&store[x]);
    }
  }
}

static void many_entities(const char *directory) {
  enum { entities = 200, each = 500, n = entities * each };
  for (int together = 0; together < 2; together++) {
    const char *name =
        together ? "200 entities, all in every save of 1,000" : "200 entities, one after another";
    uint64_t i = 0;
    if (together) {
      for (uint64_t s = 0; s < n / 1000; s++)
        for (int e = 0; e < entities; e++)
          for (uint64_t j = 0; j < 5; j++) objects[i++] = (Object){e, 1 + s * 5 + j};
    } else
      for (int e = 0; e < entities; e++)
        for (uint64_t j = 0; j < each; j++) objects[i++] = (Object){e, 1 + j};
    uint64_t next[entities];
    for (int e = 0; e < entities; e++) next[e] = each + 1;
    for (i = 0; i < 300; i++) {
      int e = (int)(mix(i + 77) % entities);
      objects[n + i] = (Object){e, next[e]++};
    }
    for (int k = 0; k < shapes; k++) {
      int x = turn(k);
      Model m = make_model(shape_names[x], entities, false, n);
      m.names = each / 32, m.companies = 100;
      create(&store[x], m, directory);
      fill(&store[x], objects, n, 1000, name, x);
      note_size(&store[x], name, x, n, true);
    }
    if (together) {
      single_saves(store, objects + n, 300, "200 entities: W3, a random entity per save");
      for (int k = 0; k < shapes; k++) {
        int x = turn(k);
        note("200 entities: W12 open all trees, first query", "us", x,
             first_query(&store[x], 150, false));
        note("200 entities: W12 open the query's trees only", "us", x,
             first_query(&store[x], 150, true));
        transactions(&store[x], x, "200 entities");
      }
    }
    for (int x = 0; x < shapes; x++) destroy(&store[x]);
  }
}

int main(int argc, char **argv) {
  if (argc < 2) return fprintf(stderr, "usage: %s directory [rounds] [objects]\n", argv[0]), 2;
  rounds = argc > 2 ? atoi(argv[2]) : 5;
  uint64_t n = argc > 3 ? strtoull(argv[3], NULL, 10) : 100000;
  if (rounds < 1 || rounds > max_rounds || n < 3200)
    return fprintf(stderr, "1 to 32 rounds, 3,200 objects or more\n"), 2;
  uint64_t room = (n > 100000 ? n : 100000) + 450;
  objects = calloc(room, sizeof *objects);
  records = calloc(room, record_size);
  for (int i = 0; i < 3; i++) run[i] = calloc(room, sizeof **run);
  spare = calloc(room, sizeof *spare);
  for (; current_round < rounds; current_round++) {
    double t = wall();
    large(argv[1], n);
    ascending_dates(argv[1], n);
    three_entities(argv[1], n);
    many_entities(argv[1]);
    fprintf(stderr, "round %d: %.1f s\n", current_round + 1, wall() - t);
  }
  printf("%s; %llu objects; medians of %d interleaved rounds; in brackets the median of the "
         "ratios to A within a round\n\n",
         mdb_version(NULL, NULL, NULL), (unsigned long long)n, rounds);
  printf("| work | unit | A | B | C | D | E | F |\n|---|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < metrics; i++) {
    printf("| %s | %s |", metric[i].name, metric[i].unit);
    for (int x = 0; x < shapes; x++) {
      double ratio[max_rounds], mid = median(metric[i].v[x], rounds);
      for (int r = 0; r < rounds; r++) ratio[r] = metric[i].v[x][r] / metric[i].v[0][r];
      if (mid == 0) printf(" |");
      else if (x == 0) printf(" %.*f |", mid < 100 ? 1 : 0, mid);
      else printf(" %.*f (%.2f) |", mid < 100 ? 1 : 0, mid, median(ratio, rounds));
    }
    printf("\n");
  }
}
