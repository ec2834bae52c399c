# SPDX-License-Identifier: Apache-2.0
"""Runs Spec and Design side by side, compares them after each step, and checks promises that need neither."""
import random
import time
from mechanism import Design
from promise import BELOW, EXTERNAL, KEYS, OWNER, PARENT, PARTNER, Spec

POLICIES = ("error", "object", "store", "overwrite", "rollback", "custom")


class World:
    """Both halves, and what no rule is needed for: which values were ever set, and who knew of which."""

    def __init__(self, faults=(), policy="error", undone=False):
        """policy: that of saves to the store, and those of checked saves to parents: "object, C error, D store"."""
        self.policy, *checked = policy.split(", ")
        pushes = [tuple(words.split()) for words in checked if not words.endswith(" object")]   # the later value wins
        self.spec, self.design = Spec(pushes), Design(faults, pushes)
        self.sets, self.ever, self.dead = {}, set(), set()
        # knew: for each value, the values of its slot that its setter had been shown; knew_then: and all that
        # those had been set in knowledge of by then.
        self.knew, self.knew_then, self.undo, self.redo = {}, {}, {c: () for c in PARENT}, {c: () for c in PARENT}
        # unclear: objects for which it is not plain who knew of what; None: all, since values may come back.
        self.unclear = None if undone else frozenset()
        self.lossy, self.undone = False, undone   # news were lost; values may come back by undo

    def copy(self):
        """A copy that shares nothing that changes."""
        w = World.__new__(World)
        w.spec, w.design, w.policy = self.spec.copy(), self.design.copy(), self.policy
        w.sets, w.ever, w.dead, w.knew = dict(self.sets), set(self.ever), set(self.dead), dict(self.knew)
        w.knew_then = dict(self.knew_then)
        w.undo, w.redo, w.lossy, w.undone = dict(self.undo), dict(self.redo), self.lossy, self.undone
        w.unclear = self.unclear
        return w

    def possible(self, op):
        """Whether an operation makes sense now. In the midst of a turn a context edits and nothing else."""
        s, (name, c, *rest) = self.spec, op
        k, busy = rest[0] if rest else None, s.public[c] is not None
        if busy and name not in ("set", "zero", "link", "pair", "delete", "insert", "leave", "lose"):
            return False
        if name in ("set", "zero", "link", "pair"):
            return s.shows(c, k) is not None and (name in ("set", "zero") or rest[1] is None or s.shows(c, rest[1]) is not None)
        if name == "delete":
            return s.shows(c, k) is not None
        if name == "insert":   # an ID is made once; what was deleted may come again
            layers = [(d, l) for d in PARENT if d != c for l in (s.edits[d], s.frozen[d], s.public[d] or {}, *s.arrived[d])]
            return s.given(c, k) is None and not any(k in l and (l[k].kind != "delete" or c not in BELOW[d]) for d, l in layers)
        if name in ("save", "begin"):
            return bool(s.edits[c]) and not s.frozen[c]
        if name == "finish":
            return bool(s.frozen[c])
        if name == "hold":
            return k not in s.held[c] and s.given(c, k) is not None and k not in s.edits[c]
        if name == "release":
            return k in s.held[c]
        if name == "revert":
            return k in s.edits[c]
        if name == "rollback":
            return bool(s.edits[c])
        if name == "merge":
            return not s.pin[c]
        if name == "leave":
            return busy
        if name == "unpin":
            return bool(s.pin[c])
        if name in ("undo", "redo"):
            return bool(getattr(self, name)[c])
        return True

    def do(self, op):
        """One operation in both halves. Returns what is wrong, None, or "stop" where news were lost and an
        unnecessary conflict is allowed."""
        name, c, *rest = op
        s, outcome = self.spec, []
        if name in ("set", "zero"):
            value = 0
            if name == "set":
                n = self.sets[(c, *rest)] = self.sets.get((c, *rest), 0) + 1
                value = f"{c}{rest[0]}{rest[1]}{n}"
                self.ever.add(value)
            old = s.shows(c, rest[0])[rest[1]]
            if old != value:
                self.undo[c] += ((*rest, old, value),)
                self.redo[c] = ()
            if name == "set":
                self.learn(value, old)
            rest.append(value)
            name = "set"
        if self.unclear is not None and op[0] in ("zero", "delete"):
            self.unclear = None if op[0] == "zero" else self.unclear | {rest[0]}
        if name in ("undo", "redo"):
            stack, other = getattr(self, name), getattr(self, "redo" if name == "undo" else "undo")
            k, p, old, new = stack[c][-1]
            stack[c], shown = stack[c][:-1], s.shows(c, k)
            if shown and shown[p] == new:   # else it is left alone, and there is nothing to do again
                other[c] += ((k, p, new, old),)
                self.learn(old, new)
            name, rest = "put_back", [k, p, old, new]
        before, saving = dict(s.store), name == "finish" or name == "save" and PARENT[c] is None
        batch = (s.frozen[c] if name == "finish" else s.edits[c]) if saving else {}
        pending = dict(s.edits[c]) if name in ("refresh", "merge") else {}
        shown = {k: s.public_value(PARENT[c], k) for k in KEYS} if name == "save" and PARENT[c] else {}
        sent = dict(s.edits[c]) if shown else {}
        self.lossy |= name == "lose"
        if name != "lose":
            self.design.catch_up(c)
        for w in (s, self.design):
            if name in ("link", "pair"):
                outcome.append(w.set(c, rest[0], OWNER if name == "link" else PARTNER, rest[1]))
            elif name == "finish":
                outcome.append(w.finish(c, self.policy))
            elif name == "save" and PARENT[c] is None:
                w.begin(c)
                outcome.append(w.finish(c, self.policy))
            else:
                outcome.append(getattr(w, {"pin": "set_pin"}.get(name, name))(c, *rest))
        for k, e in pending.items():    # brought up to date: the setter has been shown what lies beneath now
            now = s.edits[c].get(k)
            if now and now.reads != e.reads:
                for p in now.set:
                    self.learn(now.set[p], s.look(c, k, own=False)[0][p])
        if name == "save" and PARENT[c]:
            if c in s.pushes and outcome[0] == "saved":   # its policy was shown what the parent had
                for k, e in sent.items():
                    for p in e.set if shown[k] else ():
                        self.learn(e.set[p], shown[k][p])
            strict = all(s.pushes.get(d) == "error" for d in (c, *BELOW[c]))
            lost = outcome[0] == "saved" and strict and self.lost_in_parent(shown, c)
            return self.compare(outcome) or lost or self.check()
        wrong = self.compare(outcome)
        if wrong and self.lossy and (outcome[1] == "conflict" or saving and self.policy != "error"):
            return "stop"
        return wrong or saving and outcome[0] == "saved" and self.lost(before, batch) or self.check()

    def learn(self, value, shown):
        """A value was set by somebody who was shown another."""
        if isinstance(value, str):
            self.knew[value] = self.knew.get(value, frozenset()) | {shown}
            self.knew_then[value] = self.knew_then.get(value, frozenset()) | {shown} | self.knew_then.get(shown, frozenset())

    def knows(self, value):
        """All values that a value's setter had been shown, and those that rested on. An edit that was brought up
        to date lets what was set on top of it know of that too."""
        all_, new = set(), {value}
        while new:
            all_ |= new
            new = {v for n in new for v in self.knew.get(n, ())} - all_
        return all_

    def lost(self, before, batch):
        """A promise that needs no rule: what the store had and the setter did not know is never replaced under
        .error or .store; what he knew is replaced under .error, .object and .store."""
        if self.policy not in ("error", "object", "store") or self.unclear is None:
            return None
        for k, e in batch.items():
            old, new = before.get(k, (0, None))[1], self.spec.store.get(k, (0, None))[1]
            if e.kind != "update" or not old or not new or k in self.unclear:
                continue
            for p in ("a", "b"):
                if p not in e.set or not isinstance(e.set[p], str) or not isinstance(old[p], str) or old[p] == e.set[p]:
                    continue
                contested = old[p] not in self.knows(e.set[p])
                if contested and self.policy != "object" and new[p] == e.set[p]:
                    return f"lost update: {old[p]} of {k} replaced by {new[p]}"
                contested = old[p] not in self.knew_then[e.set[p]]
                if not (contested and self.policy == "store") and new[p] != e.set[p]:
                    return f"lost edit: {e.set[p]} of {k}, the store has {new[p]}"
        return None

    def lost_in_parent(self, before, c):
        """A promise that needs no rule: a checked save never replaces a value that its setter did not know."""
        if self.unclear is None:
            return None
        for k, old in before.items():
            new = self.spec.public_value(PARENT[c], k)
            for p in ("a", "b") if old and new and k not in self.unclear else ():
                if old[p] != new[p] and isinstance(old[p], str) and isinstance(new[p], str) and old[p] not in self.knows(new[p]):
                    return f"lost update in {PARENT[c]}: {old[p]} of {k} replaced by {new[p]}"
        return None

    def compare(self, outcome):
        """What the two halves differ in."""
        s, d = self.spec, self.design
        if outcome[0] != outcome[1]:
            return f"the save: {outcome[0]} by Spec, {outcome[1]} by Design"
        if {k: v for k, (_, v) in s.store.items()} != {k: r.values for k, r in d.store.items()}:
            return f"stored: {s.store} by Spec, {d.store} by Design"
        for c in PARENT:
            for k in KEYS:
                if s.shows(c, k) != d.shows(c, k):
                    return f"{c} shows of {k}: {s.shows(c, k)} by Spec, {d.shows(c, k)} by Design"
            if s.unsaved(c) != d.unsaved(c):
                return f"{c} has unsaved: {s.unsaved(c)} by Spec, {d.unsaved(c)} by Design"
        return None

    def check(self):
        """Promises about the mechanism's state alone."""
        d = self.design
        changes = d.all_changes()
        if any(h.kind == "update" and h.record is None for h in changes):
            return "an update without a record"
        # A value that nobody has set any more, that the store has not, and that no undo names, never comes back.
        stored = {v for r in d.store.values() for v in r.values.values() if isinstance(v, str)}
        now = stored | {h.record.values[p] for h in changes if h.record for p in h.slots}
        if self.undone:   # undo may bring back what its context has shown
            undoable = {v for m in (self.undo, self.redo) for stack in m.values() for *_, old, new in stack for v in (old, new)}
            self.dead = self.dead - undoable
        else:
            undoable = set()
        if self.policy == "overwrite":
            self.ever -= stored   # which brings back what was read and is no longer stored
        if "overwrite" in self.spec.pushes.values():
            self.dead -= now      # so does a checked save to a parent
        if now & self.dead:
            return f"came back: {now & self.dead}"
        self.dead |= self.ever - now - undoable
        for k, r in d.store.items():
            if r.values[EXTERNAL] and r.values[EXTERNAL] not in d.bytes:
                return f"stored without its bytes: {r.values[EXTERNAL]}"
            for p in (OWNER, PARTNER):
                if r.values[p] and r.values[p] not in d.store:
                    return f"stored link of {k} leads nowhere"
        return None

    def key(self):
        """All that the future depends on."""
        s, d = self.spec, self.design
        return repr((s.store, s.edits, s.frozen, s.held, s.public, s.arrived, s.pin, d.pending, d.frozen, d.cache, d.public, d.arrived, d.deaf,
                     sorted((c, sorted(v)) for c, v in d.outdated.items() if v), sorted((c, sorted(v)) for c, v in d.held.items() if v), sorted(self.dead), self.undo, self.redo))


def ops(names, contexts, keys=("x",), props=("a",)):
    """All operations of these names."""
    out = []
    for n in names:
        for c in contexts:
            if n in ("rollback", "merge", "fetch", "save", "enter", "leave", "pin", "unpin", "lose", "undo", "redo"):
                out.append((n, c))
            elif n in ("begin", "finish"):
                out += [(n, c)] if PARENT[c] is None else []
            elif n in ("set", "zero"):
                out += [(n, c, k, p) for k in keys for p in props]
            elif n in ("link", "pair"):
                out += [(n, c, k, t) for k in keys for t in (*keys, None) if t != k]
            else:
                out += [(n, c, k) for k in keys]
    return out


def explore(operations, depth, faults=(), policy="error", start=(), limit=None):
    """All sequences up to a depth, breadth first, states seen before left out. Returns the steps taken, the
    states met, the depth that was finished, and what is wrong."""
    first = World(faults, policy, any(op[0] == "undo" for op in operations))
    for op in start:
        first.do(op)
    level, seen, steps, begun = [(first, ())], set(), 0, time.time()
    for done in range(depth):
        following = []
        for world, path in level:
            for op in operations:
                if not world.possible(op):
                    continue
                w = world.copy()
                steps += 1
                wrong = w.do(op)
                if wrong == "stop":
                    continue
                if wrong:
                    return steps, len(seen), done, (path + (op,), wrong)
                key = hash(w.key())
                if key not in seen:
                    seen.add(key)
                    following.append((w, path + (op,)))
                if limit and time.time() - begun > limit:
                    return steps, len(seen), done, None
        level = following
    return steps, len(seen), depth, None


ALL = ops(("set", "save", "rollback", "revert", "refresh", "merge", "fetch", "hold", "release", "delete", "insert", "begin", "finish", "link", "pair",
           "zero", "enter", "leave", "pin", "unpin", "lose", "undo", "redo"), PARENT, KEYS, ("a", "b")) + ops(("set",), PARENT, KEYS, ("e",))
WEIGHT = {"set": 3, "save": 8, "fetch": 3, "hold": 2, "begin": 3, "finish": 8, "rollback": 2, "delete": 1, "insert": 2, "leave": 8, "unpin": 3}
# Operations that a random run has only now and then, so that most runs stay in what everybody does.
SOMETIMES = {"link": 0.3, "pair": 0.3, "zero": 0.2, "lose": 0.15}
FAMILIES = ({"enter", "leave"}, {"pin", "unpin"}, {"undo", "redo"}, {"begin", "finish"})


def run(sequence, faults, policy):
    """Runs a sequence; where it goes wrong and how, or None."""
    w = World(faults, policy, any(op[0] == "undo" for op in sequence))
    for n, op in enumerate(sequence):
        if w.possible(op):
            try:
                wrong = w.do(op)
            except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
                wrong = f"it breaks: {error!r}"
            if wrong == "stop":
                return None
            if wrong:
                return n, wrong
    return None


def random_run(seed, length=60):
    """The sequence and the policy of a seed."""
    r = random.Random(seed)
    policy = r.choice(["error", "error", *POLICIES])
    checked = [f"{c} {r.choice(['error', 'error', *POLICIES])}" for c in ("C", "D", "G") if r.random() < 0.4]
    without = {n for f in FAMILIES if r.random() < 0.5 for n in f}
    some = [op for op in ALL if op[0] not in without and r.random() < SOMETIMES.get(op[0], 0.8)]
    if any(name in ("store", "rollback", "custom") for name in (policy, *(c.split()[1] for c in checked))):
        some = [op for op in some if op[0] not in ("link", "pair")]
    return r.choices(some, [WEIGHT.get(op[0], 1) for op in some], k=length), ", ".join([policy, *checked])


def shrink(sequence, faults, policy):
    """A shorter sequence that goes wrong too."""
    n, wrong = run(sequence, faults, policy)
    sequence, changed = list(sequence[:n + 1]), True
    while changed:
        changed = False
        for i in range(len(sequence)):
            shorter = sequence[:i] + sequence[i + 1:]
            found = run(shorter, faults, policy)
            if found:
                sequence, wrong, changed = shorter[:found[0] + 1], found[1], True
                break
    return sequence, wrong


def randomly(count, faults=(), first=0, limit=None):
    """Random runs until one goes wrong: (seed, policy, shrunk sequence, what is wrong), or None."""
    begun = time.time()
    for seed in range(first, first + count):
        sequence, policy = random_run(seed)
        if run(sequence, faults, policy):
            return seed, policy, *shrink(sequence, faults, policy)
        if limit and time.time() - begun > limit:
            return None
    return None
