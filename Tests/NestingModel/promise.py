# SPDX-License-Identifier: Apache-2.0
"""What users are promised: contexts as maps of object to {property: value}.

This half of the model knows no records, identities, generations of records, caches or news. It is written
to be obviously right, not to be fast. `mechanism.py` must give the same answers.
"""
from collections import namedtuple

# The contexts: two roots, two children of the first, a grandchild.
PARENT = {"R": None, "S": None, "C": "R", "D": "R", "G": "C"}
BELOW = {c: [d for d in PARENT if d != c and (PARENT[d] == c or PARENT.get(PARENT[d]) == c)] for c in PARENT}
# The objects, and special properties. OWNER: to-one, its inverse is to-many. PARTNER: one-to-one.
# EXTERNAL: what the object has is a stamp; the bytes lie beside it. DERIVED: calculated from b.
KEYS, OWNER, PARTNER, EXTERNAL, DERIVED = ("x", "y"), "o", "p", "e", "d"
EMPTY = {"a": 0, "b": 0, OWNER: None, PARTNER: None, EXTERNAL: None, DERIVED: ("of", 0)}


class Conflict(Exception):
    """A save is refused."""


def stored_form(values):
    """The values with derived ones calculated, as the transaction writes them."""
    return {**values, DERIVED: ("of", values["b"])}


def same(v, w):
    """Whether two states of an object are equal, derived values aside."""
    return v is not None and w is not None and all(v[p] == w[p] for p in v if p != DERIVED)


def decide(policy, kind, theirs, ours, sets, changed_by_them, base):
    """The merge policy's word on an object in conflict: what the store has afterwards (None: nothing).

    sets: the slots that were set, with their values. changed_by_them: asks whether the store has changed a
    slot. base: what each set slot showed when it was set. A policy of the program's own ("custom") answers
    slot by slot; the one here joins base, theirs and ours, so that a wrong argument shows in the result.
    """
    if policy == "error":
        raise Conflict
    if kind == "delete":
        return theirs if policy in ("store", "rollback", "custom") else None
    if policy == "overwrite":   # the whole object as it was read, but never the stamp of bytes that are gone
        return {**ours, EXTERNAL: sets[EXTERNAL] if EXTERNAL in sets else theirs and theirs[EXTERNAL]}
    if theirs is None or policy == "rollback":
        return theirs           # nothing is there to merge a few properties into
    if policy == "custom":
        joined = {p: (base[p], theirs[p], v) if changed_by_them(p) and p in ("a", "b") else v for p, v in sets.items()}
        return {**theirs, **joined}
    return {**theirs, **{p: v for p, v in sets.items() if policy == "object" or not changed_by_them(p)}}


def dangling_check(policy, before, after):
    """Links that have lost an end, one-to-one links with two: a conflict, or the slot becomes nil."""
    state = {**before, **after}
    for k, v in list(state.items()):
        for p in (OWNER, PARTNER):
            if v and v[p]:
                end = state.get(v[p])
                if end is None or p == PARTNER and end[PARTNER] != k:
                    if policy == "error":
                        raise Conflict
                    after[k] = state[k] = v = {**v, p: None}


# What somebody had read: the version and state of the object in the store (0, None: it was in no store), and
# the unsaved states of ancestors above it, up to the one that was shown.
Read = namedtuple("Read", "version was above")
# What a context has unsaved of one object. reads: for each property, what the one who set it had read; for a
# property that is not set, what was read of it. on: what `look` gave beneath when it was made, or brought up to date.
Edit = namedtuple("Edit", "kind set shown reads on")


def each(reads, change):
    """The same done to what was read of each property; nearly always that is one for all."""
    kinds = {id(r): r for r in reads.values()}
    done = {i: change(r) for i, r in kinds.items()}
    return {p: done[id(r)] for p, r in reads.items()}


def known(read):
    """All states that a reader knew of."""
    return [v for v in (read.was, *read.above) if v]


def taken_over(read, state, rests_on):
    """What was read, where the receiver's own unsaved state was read: what that rests on in its place."""
    return rests_on._replace(above=rests_on.above + read.above[read.above.index(state) + 1:]) if state in read.above else read


class Spec:
    """The promise. One dictionary per context for unsaved edits, one for a save under way, one for held objects.

    pushes: the policies of contexts whose saves to their parents are checked. In the others the later value wins.
    """

    def __init__(self, pushes=()):
        self.pushes = dict(pushes)
        self.version, self.store = 1, {"x": (1, stored_form(EMPTY))}
        self.edits, self.frozen, self.held = ({c: {} for c in PARENT} for _ in range(3))
        # public: what others see of a context in the midst of a turn; arrived: what was pushed to it meanwhile;
        # pin: the state beneath that a pinned context reads.
        self.public, self.arrived, self.pin = dict.fromkeys(PARENT), {c: () for c in PARENT}, dict.fromkeys(PARENT)

    def copy(self):
        """A copy that shares nothing that changes."""
        w = Spec.__new__(Spec)
        w.pushes, w.version, w.store = self.pushes, self.version, dict(self.store)
        for n in ("edits", "frozen", "held"):
            setattr(w, n, {c: dict(m) for c, m in getattr(self, n).items()})
        w.public = {c: m if m is None else dict(m) for c, m in self.public.items()}
        w.arrived, w.pin = {c: tuple(dict(b) for b in a) for c, a in self.arrived.items()}, dict(self.pin)
        return w

    # Reading. The nearest unsaved state of an object tells all of it; else the store.
    def beneath_context(self, c):
        """The layers beneath a context from near to far, and the store: of now, or of its pin."""
        if self.pin[c]:
            return self.pin[c]
        up = PARENT[c]
        if up is None:
            return [], self.store
        layers, store = self.beneath_context(up)
        return [self.edits[up] if self.public[up] is None else self.public[up], self.frozen[up], *layers], store

    def look(self, c, k, own=True):
        """What a context finds: (shown state, reads for each property), or None."""
        layers, store = self.beneath_context(c)
        for layer in ([self.edits[c], self.frozen[c]] if own else [self.frozen[c]]) + layers:
            if k in layer:
                e = layer[k]
                return None if e.kind == "delete" else (e.shown, self.reads_of(e))
        return (store[k][1], dict.fromkeys(EMPTY, Read(*store[k], ()))) if k in store else None

    @staticmethod
    def reads_of(e):
        """What somebody has read who was shown this edit: whatever its makers had read, and the edit itself."""
        return each(e.reads, lambda r: Read(r.version, r.was, (*r.above, e.shown))) if e.reads else dict.fromkeys(EMPTY, Read(0, None, (e.shown,)))

    def deleted_above_store(self, c, k):
        """Whether the nearest word on an object is an unsaved deletion."""
        for layer in [self.edits[c], self.frozen[c], *self.beneath_context(c)[0]]:
            if k in layer:
                return layer[k].kind == "delete"
        return False

    def given(self, c, k):
        """What the context has in hand of an object: unsaved, held, or read now."""
        if k in self.edits[c] or k in self.frozen[c]:
            return self.look(c, k)
        return self.held[c].get(k) or self.look(c, k)

    def shows(self, c, k):
        """The values that the context shows."""
        g = self.given(c, k)
        return g and g[0]

    def public_value(self, c, k):
        """What others read of a context."""
        own, self.edits[c] = self.edits[c], self.edits[c] if self.public[c] is None else self.public[c]
        found, self.edits[c] = self.look(c, k), own
        return found and found[0]

    def unsaved(self, c):
        """The kinds of unsaved changes and the slots set."""
        return {k: (e.kind, frozenset(e.set)) for k, e in self.edits[c].items()}

    # Editing.
    def put(self, c, k, p, v):
        """Sets one property; an equal value is no change."""
        e, g = self.edits[c].get(k), self.given(c, k)
        if g is None or g[0][p] == v:
            return
        if e:
            self.edits[c][k] = e._replace(set={**e.set, p: v}, shown={**e.shown, p: v})
        else:
            self.edits[c][k] = Edit("update", {p: v}, {**g[0], p: v}, g[1], g)

    def set(self, c, k, p, v):
        """Sets a property or a link with all that goes with it."""
        if p == PARTNER:
            self.pair(c, k, v)
        else:
            self.put(c, k, p, v)

    def pair(self, c, k, other):
        """A one-to-one link takes both its ends away from others."""
        for m in KEYS:
            s = self.shows(c, m)
            if s and (m == k and s[PARTNER] != other or m != k and m != other and s[PARTNER] in (k, other) and s[PARTNER]):
                self.put(c, m, PARTNER, None)
        self.put(c, k, PARTNER, other)
        if other:
            self.put(c, other, PARTNER, k)

    def insert(self, c, k):
        """Inserts; of an ID that the context has deleted, it is what undo does."""
        e, new = self.edits[c].get(k), dict(EMPTY)
        self.edits[c][k] = e._replace(kind="update", set=new, shown=new) if e else Edit("insert", new, new, None, None)

    def delete(self, c, k):
        """Deletes, with the links that lead here."""
        for m in KEYS:
            for p in (OWNER, PARTNER):
                if m != k and (self.shows(c, m) or EMPTY)[p] == k:
                    self.put(c, m, p, None)
        e, g = self.edits[c].get(k), self.given(c, k)
        if e and e.kind == "insert":
            del self.edits[c][k]
        else:
            self.edits[c][k] = Edit("delete", {}, None, e.reads if e else g[1], e.on if e else g)
        self.held[c].pop(k, None)

    def put_back(self, c, k, p, old, new):
        """Undo and redo of one property: left alone if it no longer shows what is to be undone. What is then as
        its setter had read it is no longer set; else it is an ordinary edit."""
        e, shown = self.edits[c].get(k), self.shows(c, k)
        if shown is None or shown[p] != new:
            return
        if e and e.kind == "update" and p in e.set and known(e.reads[p])[-1][p] == old:
            rest = {q: v for q, v in e.set.items() if q != p}
            if rest:
                self.edits[c][k] = e._replace(set=rest, shown={**e.shown, p: old})
            else:
                self.revert(c, k)
        else:
            self.put(c, k, p, old)

    # Turns, pins, lost news.
    def enter(self, c):
        """A turn begins: what is done in it others see at its end."""
        self.public[c] = dict(self.edits[c])

    def leave(self, c):
        """A turn ends: its edits are published, and what was pushed meanwhile lands on top of them."""
        batches, self.arrived[c], self.public[c] = self.arrived[c], (), None
        for batch in batches:
            self.land(c, batch)
            for k in KEYS:
                self.landed(c, k)

    def set_pin(self, c):
        """The context and all below it read the state that lies beneath now."""
        self.pin[c] = None
        layers, store = self.beneath_context(c)
        self.pin[c] = [dict(m) for m in layers], dict(store)

    def unpin(self, c):
        """The context reads what lies beneath now."""
        self.pin[c] = None

    def lose(self, c):
        """Lost news change nothing of what is promised."""

    def reads_a_pin(self, c):
        """Whether a context or one of its ancestors below the root is pinned."""
        return PARENT[c] is not None and (self.pin[c] is not None or self.reads_a_pin(PARENT[c]))

    # Holding, bringing up to date, taking back.
    def fetch(self, c):
        """A fetch changes nothing of what is promised."""

    def hold(self, c, k):
        """The program holds an object: it keeps its values."""
        self.held[c][k] = self.given(c, k)

    def release(self, c, k):
        """The program lets an object go."""
        del self.held[c][k]

    def renew(self, c, k):
        """A held object takes what is there now."""
        if k in self.held[c]:
            found = self.look(c, k)
            if found:
                self.held[c][k] = found
            else:
                del self.held[c][k]

    def revert(self, c, k):
        """Takes the unsaved edit of one object back."""
        self.edits[c].pop(k, None)
        self.renew(c, k)

    def rollback(self, c):
        """Takes all unsaved edits back."""
        for k in KEYS:
            self.revert(c, k)

    def refresh(self, c, k):
        """An object, and the unsaved edit of it, rest on what lies beneath now."""
        e = self.edits[c].get(k)
        if e and e.kind != "insert":
            under = self.look(c, k, own=False)
            if under is None:
                del self.edits[c][k]
            else:
                self.edits[c][k] = e._replace(shown=e.set and {**under[0], **e.set} or None, reads=under[1], on=under)
        self.renew(c, k)

    def merge(self, c):
        """An automatic merge: refreshes the edits under which something has changed."""
        for k in KEYS:
            under = self.look(c, k, own=False)
            if k not in self.edits[c] or self.edits[c][k].on != under:
                self.refresh(c, k)

    # Saving one level up.
    def save(self, c):
        """Hands all unsaved edits to the parent. A parent in the midst of a turn has them after that turn; all
        others see them at once. A checked save that is refused changes nothing."""
        up, sent = PARENT[c], self.edits[c]
        own = self.edits[up]
        if self.public[up] is not None:
            self.edits[up] = self.public[up]
        try:
            batch, decided = self.checked(up, sent, self.pushes[c]) if c in self.pushes else (sent, ())
        except Conflict:
            self.edits[up] = own
            return "conflict"
        self.edits[c] = {}
        self.land(up, batch)
        if self.public[up] is not None:
            self.public[up], self.edits[up] = self.edits[up], own
            self.arrived[up] += (batch,)
        if self.pin[c]:
            self.set_pin(c)
        for k, e in sent.items():
            if k in decided:
                self.renew(c, k)
            elif e.kind == "delete":
                self.held[c].pop(k, None)
            elif k in self.held[c]:   # the saver has read what the receiver has, if it is the same
                found = self.look(c, k)
                self.held[c][k] = found if found and found[0] == e.shown else (e.shown, self.reads_of(e))
        if self.public[up] is None:
            for k in KEYS:
                self.landed(up, k)
        return "saved"

    def checked(self, up, sent, policy):
        """What a checked save hands over, and the objects on which the policy was asked. It is a merge onto the
        parent's state, and the save of that: what does not conflict counts as made from that state. A conflict is
        a property that the child sets and that has another value in the parent than its setter was shown; and for
        an object that the child deletes, or that is gone in the parent, the whole object."""
        batch, decided = {}, set()
        for k, e in sent.items():
            under = self.look(up, k)
            if e.kind == "insert" or under and e.on is None or under is None and e.kind == "delete":
                batch[k] = e
                continue
            on, theirs = {p: known(r)[-1][p] for p, r in e.reads.items()}, under and under[0]
            differs = theirs is None or (not same(on, theirs) if e.kind == "delete" else any(on[p] != theirs[p] for p in e.set))
            if not differs:
                batch[k] = e._replace(shown=e.set and {**theirs, **e.set} or None, reads=under[1], on=under)
                continue
            values = decide(policy, e.kind, theirs, e.shown, e.set, lambda p: on[p] != theirs[p], on)
            decided.add(k)
            if values is None:
                if under:
                    batch[k] = Edit("delete", {}, None, under[1], under)
                continue
            # Half a one-to-one link is no decision.
            values = {**values, PARTNER: e.set.get(PARTNER, (theirs or EMPTY)[PARTNER])}
            if under is None:
                batch[k] = Edit("insert", dict(values), values, None, None)
            else:
                changed = {p: v for p, v in values.items() if p != DERIVED and v != theirs[p]}
                if changed:
                    batch[k] = Edit("update", changed, {**theirs, **changed}, under[1], under)
        return batch, decided

    def land(self, up, batch):
        """A push becomes part of the receiver's unsaved edits."""
        for k, e in batch.items():
            self.push(up, k, e)
        self.links_after_push(up, batch)

    def landed(self, c, k):
        """The receiver's held objects take what has landed."""
        if k in self.edits[c] and k in self.held[c]:
            self.renew(c, k)

    @staticmethod
    def laid_over(e, u):
        """Reads of an update on an update: each set slot keeps what its own setter had read. Who had read the
        receiver's own edit takes over what that rests on."""
        return u.reads and {**u.reads, **{p: taken_over(e.reads[p], u.shown, u.reads[p]) for p in e.set}}

    def push(self, up, k, e):
        """One edit onto what the receiver has."""
        u, under, mine = self.edits[up].get(k), self.look(up, k), self.edits[up]
        if e.kind == "update":
            if u and u.kind == "delete":
                return
            if u:
                mine[k] = u._replace(set={**u.set, **e.set}, shown={**u.shown, **e.set}, reads=self.laid_over(e, u))
            elif under:
                mine[k] = e._replace(shown={**under[0], **e.set}, on=under, reads={**under[1], **{p: e.reads[p] for p in e.set}})
            # Gone. If somebody beneath is about to delete it, or it never was in the store, so is the edit;
            # if it went from the store, the store decides.
            elif not self.deleted_above_store(up, k):
                oldest = min((r for p, r in e.reads.items() if p in e.set and r.version), key=lambda r: r.version, default=None)
                if oldest:
                    mine[k] = e._replace(shown={**oldest.was, **e.set}, on=None)
        elif e.kind == "insert":
            if u is None and under is None:
                mine[k] = e
            else:
                mine[k] = e._replace(kind=u.kind if u and u.kind == "insert" else "update", reads=u.reads if u else under[1], on=u.on if u else under)
        elif u and u.kind == "insert":
            del mine[k]
        elif u and u.kind == "update":
            mine[k] = Edit("delete", {}, None, {p: taken_over(r, u.shown, u.reads[p]) for p, r in e.reads.items()}, u.on)
        elif not u and under:
            mine[k] = e._replace(on=under)

    def links_after_push(self, up, batch):
        """Links with a deleted end become nil; of one-to-one links, what the receiver had with either end gives way."""
        mine = self.edits[up]
        for k, e in list(mine.items()):
            for p in (OWNER, PARTNER):
                target = e.shown and e.shown[p]
                if target and (p in e.set and self.look(up, target) is None or target in batch and batch[target].kind == "delete"):
                    self.put(up, k, p, None)
        for k, e in batch.items():
            if e.kind == "delete" or PARTNER not in e.set or k not in mine:
                continue
            now = mine[k].shown and mine[k].shown[PARTNER]
            for m in KEYS:
                s = self.look(up, m)
                if m != k and m in mine and s and m not in batch and s[0][PARTNER] and (s[0][PARTNER] == k) != (m == now):
                    self.put(up, m, PARTNER, None)

    # Saving to the store, in two steps: what comes in between lies on top.
    def begin(self, c):
        """A save to the store begins."""
        self.frozen[c], self.edits[c] = self.edits[c], {}

    def finish(self, c, policy):
        """The store checks and writes, or refuses; either way the context has its edits in order again."""
        saved, top = self.frozen[c], self.edits[c]
        self.frozen[c] = {}
        try:
            after = self.outcome(saved, policy)
            dangling_check(policy, {k: v for k, (_, v) in self.store.items()}, after)
        except Conflict:
            for k, e in top.items():  # composed back: the older below, the newer above
                saved[k] = self.over(e, saved[k]) if k in saved else e
            self.edits[c] = {k: e for k, e in saved.items() if e}
            return "conflict"
        g = self.version + 1
        for k, values in after.items():
            old = self.store.get(k, (0, None))[1]
            if values is None:
                self.store.pop(k, None)
                self.version = g
            elif old is None or not same(old, values):
                self.store[k] = (g, stored_form(values))
                self.version = g
        if self.pin[c]:
            self.set_pin(c)
        for k, e in saved.items():
            now = self.store.get(k)
            if k in top:
                t = top[k]
                if t.kind == "insert":
                    continue
                if now is None:
                    del top[k]
                    self.held[c].pop(k, None)
                    continue
                # Newer edits move onto the outcome, except of a slot that the policy has given to the store:
                # that one they have not read.
                reads = {p: self.saved_so(r, e, now) if p not in t.set or e.shown is None or now[1][p] == e.shown[p] else r for p, r in t.reads.items()}
                top[k] = t._replace(on=(now[1], dict.fromkeys(EMPTY, Read(*now, ()))), shown=t.shown and {**now[1], **t.set}, reads=reads)
            elif k in self.held[c]:
                if now:
                    self.held[c][k] = (now[1], dict.fromkeys(EMPTY, Read(*now, ())))
                else:
                    del self.held[c][k]
        for d in BELOW[c]:   # what was read unsaved, and then saved so, was read as saved
            if self.reads_a_pin(d):
                continue     # for it the state of before stays what it is
            for k, e in saved.items():
                now = self.store.get(k)
                if not now or not same(e.shown, now[1]):
                    continue
                raised = lambda reads: each(reads, lambda r: self.saved_so(r, e, now))
                for m in [self.edits[d], *([self.public[d]] if self.public[d] else []), *self.arrived[d]]:
                    if k in m and m[k].reads:
                        m[k] = m[k]._replace(reads=raised(m[k].reads), on=m[k].on and (m[k].on[0], raised(m[k].on[1])))
                if k in self.held[d]:
                    self.held[d][k] = (self.held[d][k][0], raised(self.held[d][k][1]))
        return "saved"

    def outcome(self, saved, policy):
        """What the store is to have of each saved object. An object is in conflict if one of its set slots was
        set by somebody who had read another state than the store has; a slot counts as changed by the store
        if its own setter knew no state with the value that the store has."""
        after = {}
        for k, e in saved.items():
            version, theirs = self.store.get(k, (0, None))
            if theirs is None and e.kind == "delete":
                continue
            if e.kind == "insert":
                after[k] = e.shown if theirs is None else decide(policy, "insert", theirs, e.shown, e.set, lambda p: True, EMPTY)
                continue
            resting = e.reads if e.kind == "delete" else {p: e.reads[p] for p in e.set}
            stale = theirs is None or any(r.version != version and not any(same(theirs, v) for v in known(r)) for r in resting.values())
            if stale:
                changed = lambda p: all(theirs[p] != v[p] for v in known(e.reads[p]))
                after[k] = decide(policy, e.kind, theirs, e.shown, e.set, changed, {p: known(r)[-1][p] for p, r in resting.items()})
            else:
                after[k] = None if e.kind == "delete" else {**theirs, **e.set}
        return after

    @staticmethod
    def saved_so(r, e, now):
        """What was read, with a state that has been saved since in place of what lay beneath it."""
        return Read(*now, r.above[r.above.index(e.shown) + 1:]) if e.shown in r.above else r

    def over(self, newer, older):
        """Two edits of one context as one."""
        if newer.kind == "delete":
            return None if older.kind == "insert" else newer._replace(reads={p: taken_over(r, older.shown, older.reads[p]) for p, r in newer.reads.items()}, on=older.on)
        if newer.kind == "insert":
            return newer._replace(kind="update", reads=older.reads, on=older.on)
        return older._replace(set={**older.set, **newer.set}, shown=newer.shown, reads=self.laid_over(newer, older))
