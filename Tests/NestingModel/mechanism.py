# SPDX-License-Identifier: Apache-2.0
"""The mechanism: records with identities, deltas with origins and bases, a cache that news makes outdated.

It must show, keep and store what `promise.Spec` does. Each planted fault (Design.FAULTS) is one wrong line.
"""
from collections import namedtuple
from promise import BELOW, Conflict, DERIVED, EMPTY, EXTERNAL, KEYS, OWNER, PARENT, PARTNER, Spec, dangling_check, decide, each, same, stored_form

# Identity: ("g", key, generation) of what the store has, (context, n) of what is pending.
Rec = namedtuple("Rec", "id values")
# What was read: the committed generation and values (0, None: in no store), and the pending records above them,
# up to the one that was shown. Nearly always there are none.
Base = namedtuple("Base", "generation committed seen")
# A pending change. bases: for each slot, what its setter had read, and for a slot that is not set, what the
# origin rests on. Nearly always it is one base for all slots (an engine keeps one, and exceptions beside it).
# origin: the identity of the record that this one was made from: record = origin with slots replaced.
# rests: what had been read when the origin was read. A merge compares both with what is there.
# carried: the stamp of the external bytes that the change carries, if it sets some.
Change = namedtuple("Change", "kind record slots bases origin rests carried")
Obj = namedtuple("Obj", "record bases")     # a registered object without unsaved changes


def stored_object(s):
    """What reading a stored record gives."""
    return s and Obj(s, dict.fromkeys(EMPTY, Base(s.id[2], s.values, ())))


def known(base):
    """The values of all records that a reader knew of."""
    return [v for v in (base.committed, *(r.values for r in base.seen)) if v]


def taken_over(base, record, rests_on):
    """A base, where the receiver's own record was read: what that rests on in its place."""
    place = next((i for i, r in enumerate(base.seen) if r.id == record.id), None)
    return base if place is None else rests_on._replace(seen=rests_on.seen + base.seen[place + 1:])


def committed(base, record, stored):
    """The base when a pending record has become the stored one."""
    place = next((i for i, r in enumerate(base.seen) if r.id == record.id), None)
    return base if place is None else Base(stored.id[2], stored.values, base.seen[place + 1:])


def older(m, n):
    """A rule that was given up (a planted fault): of two bases the older one, and what both have seen above it."""
    if m.generation > n.generation:
        m, n = n, m
    if m.generation < n.generation:
        was = next((i for i, r in enumerate(m.seen) if same(r.values, n.committed)), None)
        if was is None:
            return m
        m = Base(n.generation, n.committed, m.seen[was + 1:])
    shared = [r for r, q in zip(m.seen, n.seen) if r.id == q.id]
    return m._replace(seen=tuple(shared))


class Design:
    """The mechanism of DESIGN.md, section 4."""

    FAULTS = ("whole record", "relabel all", "no mask", "forget take-backs", "skip a layer", "newest base", "the older base", "generations alone", "any setter's word",
              "identity by generation", "raise all", "raise what was lost", "receiver's delete base", "drop what the store lost",
              "merge compares records alone", "merge raises all", "compare derived", "derived unlike", "saver keeps its base", "fetch settles what is being saved",
              "land a push twice", "forget what arrived", "arrive beneath the turn", "show arrivals to the turn",
              "a failed save drops arrivals", "pin moves", "relabel through a pin", "unpin unnoticed", "save leaves the pin",
              "bytes left behind", "bytes of what was read", "policy sees the newest", "undo sets all back", "feed cut unnoticed",
              "push unchecked", "a refused push is lost", "a checked push keeps its base", "the saver keeps what it sent")

    def __init__(self, faults=(), pushes=()):
        self.faults, self.generation, self.pushes = frozenset(faults), 1, dict(pushes)
        self.store, self.bytes = {"x": Rec(("g", "x", 1), stored_form(EMPTY))}, set()
        self.pending, self.frozen, self.cache = ({c: {} for c in PARENT} for _ in range(3))
        self.held, self.outdated = ({c: set() for c in PARENT} for _ in range(2))
        self.count, self.public, self.pin, self.arrived = dict.fromkeys(PARENT, 0), dict.fromkeys(PARENT), dict.fromkeys(PARENT), {c: () for c in PARENT}
        self.deaf = set()      # contexts that have lost news since they last looked

    def copy(self):
        """A copy that shares nothing that changes."""
        w = Design.__new__(Design)
        w.faults, w.generation, w.store, w.pushes = self.faults, self.generation, dict(self.store), self.pushes
        w.bytes, w.count = set(self.bytes), dict(self.count)
        for n in ("pending", "frozen", "cache"):
            setattr(w, n, {c: dict(m) for c, m in getattr(self, n).items()})
        for n in ("held", "outdated"):
            setattr(w, n, {c: set(m) for c, m in getattr(self, n).items()})
        w.public = {c: m if m is None else dict(m) for c, m in self.public.items()}
        w.arrived = {c: tuple(dict(b) for b in a) for c, a in self.arrived.items()}
        w.pin, w.deaf = dict(self.pin), set(self.deaf)
        return w

    def record(self, c, values):
        """A new pending record, numbered."""
        self.count[c] += 1
        return Rec((c, self.count[c]), values)

    # Reading.
    def beneath_context(self, c):
        """The layers beneath a context from near to far, and the store: of now, or of its pin."""
        if self.pin[c] and "pin moves" not in self.faults:
            return self.pin[c]
        up = PARENT[c]
        if up is None:
            return [], self.store
        layers, store = self.beneath_context(up)
        return [self.pending[up] if self.public[up] is None else self.public[up], self.frozen[up], *layers], store

    def change(self, c, k, own=True):
        """The nearest pending change."""
        for layer in ([self.pending[c]] if own else []) + [self.frozen[c], *self.beneath_context(c)[0]]:
            if k in layer:
                return layer[k]
        return None

    @staticmethod
    def clean(change):
        """What reading a pending change gives: its record, and its bases with that record on top."""
        r = change.record
        if change.bases:
            return Obj(r, each(change.bases, lambda b: Base(b.generation, b.committed, (*b.seen, r))))
        return Obj(r, dict.fromkeys(EMPTY, Base(0, None, (r,))))

    def look(self, c, k, own=True):
        """What a context finds, unheld."""
        found = self.change(c, k, own)
        if found:
            return None if found.kind == "delete" else self.clean(found)
        return stored_object(self.beneath_context(c)[1].get(k))

    def given(self, c, k):
        """What a context has in hand: unsaved, held, cached and not outdated, or read now."""
        if k in self.pending[c] or k in self.frozen[c]:
            return self.look(c, k)
        o = self.cache[c].get(k)
        outdated = k in self.outdated[c] or c in self.deaf and "feed cut unnoticed" not in self.faults
        return o if o and (k in self.held[c] or not outdated) else self.look(c, k)

    def take(self, c, k, o):
        """A registered object takes what was read now."""
        self.outdated[c].discard(k)
        if o:
            self.cache[c][k] = o
        else:
            self.cache[c].pop(k, None)
            self.held[c].discard(k)

    def shows(self, c, k):
        """The values that the context shows."""
        g = self.given(c, k)
        return g and g.record.values

    def unsaved(self, c):
        """The kinds of unsaved changes and the slots set."""
        return {k: (h.kind, h.slots) for k, h in self.pending[c].items()}

    def all_changes(self):
        """Every pending change anywhere."""
        layers = [l for m in (self.pending, self.frozen) for l in m.values()] + [l for l in self.public.values() if l] + [b for a in self.arrived.values() for b in a]
        return [h for l in layers for h in l.values()]

    # News: what a layer publishes outdates what those below it have registered.
    def registered(self, d):
        """Objects of which news matter to a context."""
        return {*self.cache[d], *self.pending[d], *self.frozen[d]}

    def outdate(self, d, keys):
        """Tells a context of objects. One that has lost news does not hear it either."""
        if d not in self.deaf:
            self.outdated[d].update(set(keys) & self.registered(d))

    def publish(self, c, keys, back=False):
        """Tells all below a context, unless it is in the midst of a turn."""
        if back and "forget take-backs" in self.faults or self.public[c] is not None:
            return
        for d in BELOW[c]:
            if "skip a layer" not in self.faults or PARENT[d] == c:
                self.outdate(d, keys)

    def lose(self, c):
        """The feed is cut off: what was told since is lost."""
        self.deaf.add(c)

    def catch_up(self, c):
        """A context that has lost news treats everything as possibly changed. Called before anything it does."""
        if c in self.deaf:
            self.deaf.discard(c)
            if "feed cut unnoticed" not in self.faults:
                self.outdate(c, KEYS)

    # Editing.
    def put(self, c, k, p, v):
        """Sets one slot; an equal value is no change."""
        h, o = self.pending[c].get(k), self.given(c, k)
        if o is None or o.record.values[p] == v:
            return
        r = self.record(c, {**o.record.values, p: v})
        carried = v if p == EXTERNAL else h and h.carried
        if h:
            self.pending[c][k] = h._replace(record=r, slots=h.slots | {p}, carried=carried)
        else:
            self.pending[c][k] = Change("update", r, frozenset([p]), o.bases, o.record.id, o.bases, carried)
            if k not in self.held[c] and (k not in self.frozen[c] or "fetch settles what is being saved" in self.faults):
                self.outdated[c].discard(k)    # it was read just now
        self.publish(c, [k])

    set, pair, reads_a_pin = Spec.set, Spec.pair, Spec.reads_a_pin

    def insert(self, c, k):
        """Inserts; of an ID that the context has deleted, the deletion becomes an update with its bases."""
        h, new = self.pending[c].get(k), self.record(c, dict(EMPTY))
        if h:
            self.pending[c][k] = h._replace(kind="update", record=new, slots=frozenset(EMPTY), carried=None)
        else:
            self.pending[c][k] = Change("insert", new, frozenset(EMPTY), None, None, None, None)
        self.publish(c, [k])

    def delete(self, c, k):
        """Deletes, with the links that lead here."""
        for m in KEYS:
            for p in (OWNER, PARTNER):
                if m != k and (self.shows(c, m) or EMPTY)[p] == k:
                    self.put(c, m, p, None)
        h, o = self.pending[c].get(k), self.given(c, k)
        if h and h.kind == "insert":
            del self.pending[c][k]
        else:
            self.pending[c][k] = Change("delete", None, frozenset(), h.bases if h else o.bases, h.origin if h else o.record.id, h.rests if h else o.bases, None)
        stale = k in self.outdated[c]
        self.take(c, k, None)
        if stale:
            self.outdated[c].add(k)
        self.publish(c, [k])

    def put_back(self, c, k, p, old, new):
        """Undo and redo of one slot: a slot that is as its setter had read it leaves the delta."""
        h, shown = self.pending[c].get(k), self.shows(c, k)
        if shown is None or shown[p] != new and "undo sets all back" not in self.faults:
            return
        if h and h.kind == "update" and p in h.slots and known(h.bases[p])[-1][p] == old:
            if len(h.slots) == 1:
                self.revert(c, k)
            else:
                self.pending[c][k] = h._replace(record=self.record(c, {**shown, p: old}), slots=h.slots - {p}, carried=None if p == EXTERNAL else h.carried)
                self.publish(c, [k], back=True)
        else:
            self.put(c, k, p, old)

    # Turns and pins.
    def enter(self, c):
        """A turn begins. Others read the published changes."""
        self.public[c] = dict(self.pending[c])

    def leave(self, c):
        """A turn ends: its changes are published, and the pushes that arrived meanwhile land on them in order."""
        batches, seen, self.arrived[c] = self.arrived[c], self.public[c], ()
        self.public[c] = None
        if "arrive beneath the turn" in self.faults and batches:
            turn, self.pending[c] = {k: h for k, h in self.pending[c].items() if h != seen.get(k)}, {k: h for k, h in seen.items()}
            for k, h in turn.items():
                self.pending[c][k] = self.over(h, seen[k]) if k in seen and h.kind != "delete" and seen[k].kind != "delete" else h
            self.pending[c] = {k: h for k, h in self.pending[c].items() if h}
            batches = ()
        if "forget what arrived" in self.faults:
            batches = ()
        for batch in batches:
            self.land(c, batch)
            self.landed(c)
        for k, h in list(self.pending[c].items()):   # the same values are the same record
            shown = seen.get(k)
            if shown and shown.record and h.record and shown.record.values == h.record.values:
                self.pending[c][k] = h._replace(record=shown.record)
        self.publish(c, KEYS)

    def set_pin(self, c):
        """The context keeps the layers beneath and the snapshot; what was registered may be of another state."""
        self.pin[c] = None
        layers, store = self.beneath_context(c)
        self.pin[c] = [dict(m) for m in layers], dict(store)
        self.all_may_differ(c)

    def unpin(self, c):
        """The context reads what lies beneath now."""
        self.pin[c] = None
        if "unpin unnoticed" not in self.faults:
            self.all_may_differ(c)

    def all_may_differ(self, c):
        """A context and all below it may find another state of everything."""
        for d in (c, *BELOW[c]):
            self.outdate(d, KEYS)

    # Holding, bringing up to date, taking back.
    def fetch(self, c):
        """A fetch registers objects, and renews those that nobody holds."""
        for k in KEYS:
            if k not in self.pending[c] and k not in self.held[c] and (k not in self.frozen[c] or "fetch settles what is being saved" in self.faults):
                self.take(c, k, self.given(c, k))

    def hold(self, c, k):
        """The program holds an object."""
        if k not in self.pending[c] and k not in self.frozen[c]:
            self.take(c, k, self.given(c, k))
        self.held[c].add(k)

    def release(self, c, k):
        """The program lets an object go."""
        self.held[c].discard(k)

    def revert(self, c, k):
        """Takes the pending change of one object back."""
        if self.pending[c].pop(k, None):
            self.publish(c, [k], back=True)
        if k not in self.frozen[c]:
            self.take(c, k, self.look(c, k) if k in self.held[c] else None)

    def rollback(self, c):
        """Takes all pending changes back."""
        for k in KEYS:
            self.revert(c, k)

    def raised(self, c, k):
        """A pending change on what lies beneath now."""
        h, o = self.pending[c].pop(k), self.look(c, k)
        if o is None:
            self.publish(c, [k])
            return
        r = h.record and {**o.record.values, **{p: h.record.values[p] for p in h.slots}}
        r = h.record if not r or r == h.record.values else self.record(c, r)   # the same values are the same record
        self.pending[c][k] = h._replace(record=r, bases=o.bases, origin=o.record.id, rests=o.bases)
        self.publish(c, [k])

    def refresh(self, c, k):
        """An object, and the pending change of it, rest on what lies beneath now."""
        if k in self.pending[c] and self.pending[c][k].kind != "insert":
            self.raised(c, k)
        if k in self.frozen[c]:
            return   # made up for when the save is finished
        if k in self.held[c]:
            self.take(c, k, self.look(c, k))
        else:
            self.outdated[c].discard(k)
            self.cache[c].pop(k, None)

    def merge(self, c):
        """An automatic merge: what news have named since the last time."""
        for k in KEYS:
            if k not in self.outdated[c]:
                continue
            h, o = self.pending[c].get(k), self.look(c, k, own=False)
            rests = h and ((o.record.id, o.bases) == (h.origin, h.rests) if o else h.origin is None)
            if "merge compares records alone" in self.faults:
                rests = h and (o and o.record.id) == h.origin
            if rests and "merge raises all" not in self.faults:
                continue   # it rests on what is there
            self.refresh(c, k)

    # Saving one level up.
    def save(self, c):
        """The hand-over. A receiver in the midst of a turn keeps the batch for later; others read it at once."""
        up, sent = PARENT[c], self.pending[c]
        try:
            batch, decided = self.checked(up, sent, self.pushes[c]) if c in self.pushes and "push unchecked" not in self.faults else (sent, ())
        except Conflict:
            if "a refused push is lost" in self.faults:
                self.pending[c] = {}
            return "conflict"
        self.pending[c] = {}
        if "bytes left behind" in self.faults:
            batch = {k: h._replace(carried=None) for k, h in batch.items()}
        if self.public[up] is None:
            self.land(up, batch)
            if "land a push twice" in self.faults:
                self.land(up, batch)
            self.publish(up, batch)
        elif "show arrivals to the turn" in self.faults:
            self.land(up, batch)
            self.arrived[up] += (batch,)
        else:
            own, self.pending[up], self.public[up] = self.pending[up], self.public[up], None
            self.land(up, batch)
            self.publish(up, batch)      # and links that give way tell of themselves
            self.public[up], self.pending[up] = self.pending[up], own
            self.arrived[up] += (batch,)
        self.publish(c, sent)
        if self.pin[c] and "save leaves the pin" not in self.faults:
            self.set_pin(c)
        for k, h in sent.items():
            if k in decided and "the saver keeps what it sent" not in self.faults:
                self.take(c, k, self.look(c, k) if k in self.held[c] else None)
                continue
            if h.kind == "delete":
                self.take(c, k, None)
                continue
            # The saver's object takes over the receiver's bases if it shows the receiver's record.
            o = self.look(c, k)
            if o and o.record.id == h.record.id and "saver keeps its base" not in self.faults:
                self.take(c, k, o)
            else:
                self.take(c, k, self.clean(h))
                if not (o and o.record.id == h.record.id):
                    self.outdated[c].add(k)
        if self.public[up] is None:
            self.landed(up)
        return "saved"

    def checked(self, up, sent, policy):
        """Compares what each setter was shown with what others read of the receiver, and lays the change over that."""
        batch, decided = {}, set()
        own, self.pending[up] = self.pending[up], self.pending[up] if self.public[up] is None else self.public[up]
        try:
            for k, h in sent.items():
                o = self.look(up, k)
                if h.kind == "insert" or o and h.rests is None or o is None and h.kind == "delete":
                    batch[k] = h
                    continue
                origin = {p: known(b)[-1][p] for p, b in h.bases.items()}
                theirs = o and o.record.values
                if theirs is not None and not (not same(origin, theirs) if h.kind == "delete" else any(origin[p] != theirs[p] for p in h.slots)):
                    r = h.record and {**theirs, **{p: h.record.values[p] for p in h.slots}}
                    r = h.record if not r or r == h.record.values else self.record(up, r)
                    batch[k] = h if "a checked push keeps its base" in self.faults else h._replace(record=r, bases=o.bases, origin=o.record.id, rests=o.bases)
                    continue
                ours = h.record and h.record.values
                sets = ours and {p: ours[p] for p in h.slots}
                values = decide(policy, h.kind, theirs, ours, sets, lambda p: origin[p] != theirs[p], origin)
                decided.add(k)
                if values is None:
                    if o:
                        batch[k] = Change("delete", None, frozenset(), o.bases, o.record.id, o.bases, None)
                    continue
                values = {**values, PARTNER: (ours if PARTNER in h.slots else theirs or EMPTY)[PARTNER]}
                if o is None:
                    batch[k] = Change("insert", self.record(up, values), frozenset(EMPTY), None, None, None, values[EXTERNAL])
                else:
                    slots = frozenset(p for p, v in values.items() if p != DERIVED and v != theirs[p])
                    if slots:
                        r = self.record(up, {**theirs, **{p: values[p] for p in slots}})
                        batch[k] = Change("update", r, slots, o.bases, o.record.id, o.bases, h.carried if EXTERNAL in slots else None)
        finally:
            self.pending[up] = own
        return batch, decided

    def land(self, up, batch):
        """A push becomes part of the receiver's pending changes."""
        for k, h in batch.items():
            self.push(up, k, h)
        self.links_after_push(up, batch)

    def landed(self, c):
        """The receiver's held objects take their new records. Outdated stays outdated: this is no merge."""
        for k in self.pending[c]:
            if k in self.held[c]:
                o = self.look(c, k)
                if o:
                    self.cache[c][k] = o
                else:
                    self.cache[c].pop(k, None)
                    self.held[c].discard(k)

    def splice(self, up, k, under, h):
        """The sender's record where the receiver's is the very one that it was made from; else one of both."""
        if under.id == h.origin or "whole record" in self.faults:
            return h.record
        if "identity by generation" in self.faults and h.bases["a"].generation == self.look(up, k).bases["a"].generation:
            return h.record
        values = {**under.values, **{p: h.record.values[p] for p in h.slots}}   # the same values are the same record
        return h.record if values == h.record.values else self.record(up, values)

    def laid_over(self, h, u):
        """Bases of an update on an update: each set slot keeps what its own setter had read. What was made from
        the receiver's own record takes over what that rests on."""
        if not u.bases:
            return None
        if "newest base" in self.faults:
            return {p: max(u.bases[p], h.bases[p], key=lambda b: b.generation) for p in EMPTY}
        if "the older base" in self.faults:
            mine, theirs = u.bases[min(u.slots)], h.bases[min(h.slots)]
            return dict.fromkeys(EMPTY, mine if theirs.seen and theirs.seen[-1].id == u.record.id else older(mine, theirs))
        if "generations alone" in self.faults and u.bases[min(u.slots)] != h.bases[min(h.slots)]:
            return dict.fromkeys(EMPTY, Base(min(b.generation for b in (*u.bases.values(), *h.bases.values())), None, ()))
        return {**u.bases, **{p: taken_over(h.bases[p], u.record, u.bases[p]) for p in h.slots}}

    def push(self, up, k, h):
        """One change onto what the receiver has."""
        u, o, mine = self.pending[up].get(k), self.look(up, k), self.pending[up]
        carried = h.carried if EXTERNAL in h.slots else u and u.carried
        if h.kind == "update":
            if u and u.kind == "delete":
                return
            if u:
                mine[k] = u._replace(record=self.splice(up, k, u.record, h), slots=u.slots | h.slots,
                                     bases=self.laid_over(h, u), carried=carried)
            elif o:
                mine[k] = h._replace(record=self.splice(up, k, o.record, h), origin=o.record.id, rests=o.bases,
                                     bases={**o.bases, **{p: h.bases[p] for p in h.slots}})
            elif not self.change(up, k) and "drop what the store lost" not in self.faults:
                # The store has lost it: the delta stays, on the oldest committed record that a setter had read.
                oldest = min((h.bases[p] for p in h.slots if h.bases[p].generation), key=lambda b: b.generation, default=None)
                if oldest:
                    r = self.record(up, {**(oldest.committed or EMPTY), **{p: h.record.values[p] for p in h.slots}})
                    mine[k] = h._replace(origin=None, rests=None, record=h.record if "whole record" in self.faults else r)
        elif h.kind == "insert":
            if u is None and o is None:
                mine[k] = h
            else:
                beneath = (u.bases, u.origin, u.rests) if u else (o.bases, o.record.id, o.bases)
                mine[k] = h._replace(kind=u.kind if u and u.kind == "insert" else "update", bases=beneath[0], origin=beneath[1], rests=beneath[2])
        elif u and u.kind == "insert":
            del mine[k]
        elif u and u.kind == "update":
            bases = {p: taken_over(b, u.record, u.bases[p]) for p, b in h.bases.items()}
            mine[k] = Change("delete", None, frozenset(), u.bases if "receiver's delete base" in self.faults else bases, u.origin, u.rests, None)
        elif not u and o:
            mine[k] = h._replace(origin=o.record.id, rests=o.bases)

    def links_after_push(self, up, batch):
        """Links with a deleted end become nil; of one-to-one links, what the receiver had with either end gives way."""
        mine = self.pending[up]
        for k, h in list(mine.items()):
            for p in (OWNER, PARTNER):
                target = h.record and h.record.values[p]
                if target and (p in h.slots and self.look(up, target) is None or target in batch and batch[target].kind == "delete"):
                    self.put(up, k, p, None)
        for k, h in batch.items():
            if h.kind == "delete" or PARTNER not in h.slots or k not in mine:
                continue
            now = mine[k].record and mine[k].record.values[PARTNER]
            for m in set(mine) - set(batch):
                s = mine[m].record
                if m != k and s and s.values[PARTNER] and (s.values[PARTNER] == k) != (m == now):
                    self.put(up, m, PARTNER, None)

    # Saving to the store.
    def begin(self, c):
        """The pending changes are frozen for the writer."""
        self.frozen[c], self.pending[c] = self.pending[c], {}

    def finish(self, c, policy):
        """The writer checks and writes, or refuses; then the context moves on."""
        saved, top = self.frozen[c], self.pending[c]
        self.frozen[c] = {}
        try:
            after = self.outcome(saved, policy)
            dangling_check(policy, {k: s.values for k, s in self.store.items()}, after)
        except Conflict:
            if "a failed save drops arrivals" in self.faults:
                top = {}
            for k, h in top.items():
                saved[k] = self.over(h, saved[k]) if k in saved else h
            self.pending[c] = {k: h for k, h in saved.items() if h}
            return "conflict"
        g, written = self.generation + 1, []
        for k, values in after.items():
            old = self.store.get(k)
            if values is None:
                self.store.pop(k, None)
            elif old is None or not same(old.values, values):
                self.store[k] = Rec(("g", k, g), stored_form(values))
            else:
                continue
            written.append(k)
            self.generation = g
        # External bytes: those carried come, those that no record names any more go.
        self.bytes |= {h.carried for h in saved.values() if h.carried}
        self.bytes &= {s.values[EXTERNAL] for s in self.store.values()}
        # Other roots and all below them are told of every object; those below this one, of what is not what they have.
        for d in PARENT:
            if d != c and d not in BELOW[c]:
                self.outdate(d, written)
        if self.pin[c]:
            self.set_pin(c)
        for k in {*saved, *written}:
            s, h = self.store.get(k), saved.get(k)
            for d in BELOW[c]:
                self.follow_commit(d, k, h, s)
            if k in saved and k in top:
                t = top[k]
                if t.kind == "insert":
                    continue
                if s is None:
                    del top[k]
                    self.take(c, k, None)
                    self.publish(c, [k])
                    continue
                r = t.record   # the same record, unless the outcome is another than what was on its way
                if r and not (h.record and t.origin == h.record.id and h.record.values == s.values):
                    r = self.record(c, {**s.values, **{p: r.values[p] for p in t.slots}})
                # Newer edits move onto the outcome, except of a slot that the policy has given to the store.
                if "raise all" in self.faults:
                    bases = dict.fromkeys(EMPTY, Base(s.id[2], s.values, ()))
                elif h.record and t.bases:
                    kept = {p for p in t.slots if s.values[p] != h.record.values[p] and "raise what was lost" not in self.faults}
                    bases = {p: b if p in kept else committed(b, h.record, s) for p, b in t.bases.items()}
                else:
                    bases = t.bases
                top[k] = t._replace(record=r, origin=s.id, rests=stored_object(s).bases, bases=bases)
                self.publish(c, [k])
            elif k in saved:
                self.take(c, k, stored_object(s) if k in self.held[c] else None)
            else:
                self.outdate(c, [k])
        return "saved"

    def outcome(self, saved, policy):
        """What the store is to have of each saved object."""
        after = {}
        equal = (lambda v, w: v == w) if "compare derived" in self.faults else same
        for k, h in saved.items():
            s = self.store.get(k)
            theirs, ours = s and s.values, h.record and h.record.values
            if s is None and h.kind == "delete":
                continue
            sets = ours and {p: ours[p] for p in (h.slots if "no mask" not in self.faults else ours)}
            if h.kind == "insert":
                after[k] = ours if s is None else decide(policy, "insert", theirs, ours, sets, lambda p: True, EMPTY)
                continue
            resting = {p: h.bases[p] for p in (h.slots if h.kind == "update" else EMPTY)}
            if s and all(b.generation == s.id[2] or any(equal(theirs, v) for v in known(b)) for b in resting.values()):
                after[k] = None if h.kind == "delete" else self.masked(h, s)
            else:
                changed = lambda p: all(theirs[p] != v[p] for v in known(h.bases[p]))
                if "any setter's word" in self.faults:
                    changed = lambda p: any(all(theirs[p] != v[p] for v in known(b)) for b in resting.values())
                if "bytes of what was read" in self.faults and sets and ours[EXTERNAL] and policy == "overwrite":
                    sets = {**sets, EXTERNAL: ours[EXTERNAL]}
                base = {p: (known(b) or [EMPTY])[-1][p] for p, b in resting.items()}
                after[k] = decide(policy, h.kind, theirs, ours, sets, changed, theirs if "policy sees the newest" in self.faults else base)
        return after

    def follow_commit(self, d, k, h, s):
        """Only the pending record that became the stored one takes its generation; any other copy is outdated."""
        if d in self.deaf or self.reads_a_pin(d) and "relabel through a pin" not in self.faults:
            return    # a pinned context goes on reading the pending record
        became = s and h and h.record and same(h.record.values, s.values)
        identical = became and (h.record.values == s.values or "derived unlike" in self.faults)
        whole = s and "relabel all" in self.faults

        def followed(p):
            """A pending change, with the committed record in place of the pending one that it rests on."""
            rests = p.rests and each(p.rests, lambda b: committed(b, h.record, s))
            return p._replace(bases=each(p.bases, lambda b: committed(b, h.record, s)), rests=rests, origin=s.id if identical and p.origin == h.record.id else p.origin)
        layers = [self.pending[d], *([self.public[d]] if self.public[d] else []), *self.arrived[d]]
        for layer in layers:
            if became and k in layer and layer[k].bases:
                layer[k] = followed(layer[k])
        o = self.cache[d].get(k)
        if became and o:
            self.cache[d][k] = o = Obj(o.record, each(o.bases, lambda b: committed(b, h.record, s)))
        if o and (whole or identical and o.record.id == h.record.id):
            self.cache[d][k] = Obj(Rec(s.id, o.record.values), dict.fromkeys(EMPTY, Base(s.id[2], o.record.values, ())))
            if not whole:
                return
        self.outdate(d, [k])

    def masked(self, h, s):
        """What an update writes: its record where the stored one is its origin, else its slots alone."""
        if h.origin == s.id or "no mask" in self.faults:
            return h.record.values
        return {**s.values, **{p: h.record.values[p] for p in h.slots}}

    def over(self, newer, under):
        """Two changes of one context as one."""
        if newer.kind == "delete":
            if under.kind == "insert":
                return None
            bases = {p: taken_over(b, under.record, under.bases[p]) for p, b in newer.bases.items()}
            return newer._replace(bases=bases, origin=under.origin, rests=under.rests)
        if newer.kind == "insert":
            return newer._replace(kind="update", bases=under.bases, origin=under.origin, rests=under.rests)
        return under._replace(record=newer.record, slots=under.slots | newer.slots, bases=self.laid_over(newer, under),
                              carried=newer.carried if EXTERNAL in newer.slots else under.carried)
