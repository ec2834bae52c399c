# SPDX-License-Identifier: Apache-2.0
"""Links of many-to-many and ordered relationships through nested contexts: promise against mechanism.

A link is a slot of neither end: two contexts that link different objects never conflict, and the last word on
one link wins. A link with a deleted end is dropped. The order is places: a member stands between the neighbours that
whoever placed it had seen; linked from its own side it stands last. A move of what another has removed is
dropped. `LinkSpec` is the promise: what was said, one word after another, heard from the oldest to the newest.
`LinkDesign` is the mechanism: for each context one table {link: place, or removed} and its deletions.
"""
import random
from collections import namedtuple
from fractions import Fraction
from promise import Conflict, PARENT

OWNERS, MEMBERS = ("o", "q"), ("m", "n", "k", "l")
# What a context has said. kind: link, move, unlink, delete. seen: of a deletion, the links that it knew of.
Word = namedtuple("Word", "kind owner member place seen")
# What a table has for a link. place None: removed. fresh: linked here; else only moved.
Entry = namedtuple("Entry", "place fresh")


def between(low, high, serial, ties=True):
    """A place between two (None: the beginning, the end). A place is a path of (fraction, serial number), so that
    two contexts that choose the same fraction have different places, and there is always one in between."""
    path, i = (), 0
    while True:
        a = low[i] if low and i < len(low) else None
        b = high[i] if high and i < len(high) else None
        if a is None or b is None or a[0] < b[0]:
            f = Fraction(0) if a is None and b is None else b[0] - 1 if a is None else a[0] + 1 if b is None else (a[0] + b[0]) / 2
            return path + ((f, serial if ties else 0),)
        path, i = path + (a,), i + 1
        if a != b:
            high = None     # the same fraction, chosen by two: just behind the first of them


def without_ends(links, gone):
    """Links whose ends are both there."""
    return {(o, m): v for (o, m), v in links.items() if o not in gone and m not in gone}


class LinkSpec:
    """The promise. The store has links and the objects deleted; contexts have words."""

    def __init__(self):
        self.said, self.store, self.gone = {c: () for c in PARENT}, {}, frozenset()

    def heard(self, c):
        """What a context hears: links with their places, and the deleted objects."""
        words, links, gone = (), dict(self.store), self.gone
        while c:
            words, c = self.said[c] + words, PARENT[c]
        for w in words:
            if w.kind == "delete":
                gone |= {w.member}
            elif w.kind == "unlink":
                links.pop((w.owner, w.member), None)
            elif w.kind == "link" or (w.owner, w.member) in links:
                links[w.owner, w.member] = w.place
            links = without_ends(links, gone)
        return links, gone

    def say(self, c, word):
        """One more word."""
        self.said[c] += (word,)

    def save(self, c, policy):
        """One level up; at the top to the store. A new link that has lost an end, or a deletion that did not know of
        a link, is a conflict under .error and dropped under other policies."""
        if PARENT[c]:
            there, unsaved, kept, d = set(self.heard(PARENT[c])[0]), set(), (), PARENT[c]
            while d:
                unsaved, d = unsaved | {w.member for w in self.said[d] if w.kind == "delete"}, PARENT[d]
            for w in self.said[c]:   # dropped for good: a link with an end deleted there, a move of what is not there
                link = (w.owner, w.member)
                if w.kind == "delete" or unsaved.isdisjoint(link) and (w.kind != "move" or link in there):
                    kept += (w,)
                there = there | {link} if w.kind == "link" else there - {link} if w.kind == "unlink" else there
            self.said[PARENT[c]] += kept
        else:
            links, gone = self.heard(c)
            fresh, mine = {}, set()
            for w in self.said[c]:
                if w.kind in ("link", "unlink") and mine.isdisjoint((w.owner, w.member)):
                    fresh[w.owner, w.member] = w.kind == "link"
                elif w.kind == "delete":
                    mine.add(w.member)
                    fresh = without_ends(fresh, mine)
                    spoken_of = {(v.owner, v.member) for v in self.said[c] if v.kind != "delete"}
                    others = {v.member for v in self.said[c] if v.kind == "delete"} - {w.member}
                    unknown = {x for x in self.store if w.member in x} - w.seen - spoken_of
                    if policy == "error" and any(others.isdisjoint(x) for x in unknown):
                        return "conflict"
            if policy == "error" and any(f and (o in self.gone or m in self.gone) for (o, m), f in fresh.items()):
                return "conflict"
            self.store, self.gone = links, gone
        self.said[c] = ()
        return "saved"

    def rollback(self, c):
        """Takes all words back."""
        self.said[c] = ()


class LinkDesign:
    """The mechanism. A push lays one table over another; reading takes the nearest entry."""

    FAULTS = ("push the whole set", "links outlive their ends", "a move brings back", "removals cancel", "ties", "own side first", "deletions know all", "deletions forget removals")

    def __init__(self, faults=()):
        self.faults = frozenset(faults)
        self.table, self.deleted = {c: {} for c in PARENT}, {c: {} for c in PARENT}   # deleted: object to links known
        self.store, self.gone = {}, frozenset()

    def gone_for(self, c, unsaved=False):
        """Objects deleted for a context; of those, the ones whose deletion is not saved."""
        gone = frozenset() if unsaved else self.gone
        while c:
            gone, c = gone | set(self.deleted[c]), PARENT[c]
        return gone

    def place(self, c, link):
        """The place of a link as a context sees it, None where there is none. What is only moved must be there beneath."""
        moved = None
        while c:
            e = self.table[c].get(link)
            if e and e.place is None:
                return None
            if e and (e.fresh or "a move brings back" in self.faults):
                return moved or e.place
            moved = moved or e and e.place
            if not set(link).isdisjoint(self.deleted[c]) and "links outlive their ends" not in self.faults:
                return None
            c = PARENT[c]
        return self.store.get(link) and (moved or self.store[link])

    def heard(self, c):
        """All links and deleted objects that a context sees."""
        gone = self.gone_for(c)
        links = {(o, m): self.place(c, (o, m)) for o in OWNERS for m in MEMBERS}
        links = {x: p for x, p in links.items() if p is not None}
        return (links if "links outlive their ends" in self.faults else without_ends(links, gone)), gone

    def touched(self, c, member):
        """Links of an object that the context has removed or changed itself: a deletion knows of these too."""
        if "deletions forget removals" in self.faults:
            return frozenset()
        return frozenset(x for x in self.table[c] if member in x)

    def say(self, c, w):
        """A word becomes an entry."""
        link = (w.owner, w.member)
        if w.kind == "delete":
            self.deleted[c][w.member] = w.seen | self.touched(c, w.member)
            if "links outlive their ends" not in self.faults:
                self.table[c] = without_ends(self.table[c], {w.member})
        else:
            old = self.table[c].get(link)
            if w.kind == "unlink" and "removals cancel" in self.faults and old and old.fresh:
                del self.table[c][link]
            else:
                self.table[c][link] = Entry(w.place if w.kind != "unlink" else None, w.kind == "link" or w.kind == "move" and bool(old and old.fresh))

    def save(self, c, policy):
        """A push, or the writer's check and write."""
        up, table, deleted = PARENT[c], self.table[c], self.deleted[c]
        if up:
            if "push the whole set" in self.faults:
                owners, links = {o for o, _ in table}, self.heard(c)[0]
                table = {x: Entry(links.get(x), True) for x in ((o, m) for o in owners for m in MEMBERS)}
            gone = self.gone_for(up, unsaved=True)
            for link, e in without_ends(table, gone if "links outlive their ends" not in self.faults else ()).items():
                mine = self.table[up].get(link)
                if e.place is not None and not e.fresh and self.place(up, link) is None and "a move brings back" not in self.faults:
                    # What is to be moved is not there. If the store has lost it, the entry may stay: it shows nothing.
                    continue
                self.table[up][link] = e._replace(fresh=e.fresh or bool(e.place is not None and mine and mine.fresh))
            deleted = {m: seen | self.touched(up, m) for m, seen in deleted.items()}
            if "links outlive their ends" not in self.faults:
                self.table[up] = without_ends(self.table[up], deleted)
            self.deleted[up] = {**deleted, **self.deleted[up]}
        else:
            if policy == "error":
                if any(e.place is not None and e.fresh and not self.gone.isdisjoint(x) for x, e in table.items()):
                    return "conflict"
                for member, seen in deleted.items():
                    others = set(deleted) - {member}
                    unknown = {x for x in self.store if member in x and not (x in table and table[x].place is None)} - seen
                    if any(others.isdisjoint(x) for x in unknown) and "deletions know all" not in self.faults:
                        return "conflict"
            gone = self.gone | set(deleted)
            links = {x: self.place(c, x) for x in ((o, m) for o in OWNERS for m in MEMBERS)}
            links = {x: p for x, p in links.items() if p is not None}
            self.store, self.gone = (links if "links outlive their ends" in self.faults else without_ends(links, gone)), gone
        self.table[c], self.deleted[c] = {}, {}
        return "saved"

    def rollback(self, c):
        """Takes all entries back."""
        self.table[c], self.deleted[c] = {}, {}


class LinkWorld:
    """Both halves; the neighbours that were seen are checked by themselves."""

    def __init__(self, faults=(), policy="error"):
        self.spec, self.design, self.faults, self.policy, self.serial = LinkSpec(), LinkDesign(faults), frozenset(faults), policy, 0
        self.seen = {}    # place: the places that whoever chose it saw before and after it

    @staticmethod
    def order(links, owner):
        """An owner's links in order."""
        return sorted((p, m) for (o, m), p in links.items() if o == owner)

    def do(self, op):
        """One operation in both halves; returns what is wrong, or None."""
        name, c, *rest = op
        links, gone = self.spec.heard(c)
        outcome = []
        if name in ("save", "rollback"):
            for w in (self.spec, self.design):
                outcome.append(w.save(c, self.policy) if name == "save" else w.rollback(c))
        elif name == "delete":
            if rest[0] in gone:
                return None
            word = Word("delete", None, rest[0], None, frozenset(x for x in links if rest[0] in x))
            self.spec.say(c, word), self.design.say(c, word)
        else:
            owner, member, *after = rest
            there = (owner, member) in links
            if owner in gone or member in gone or name in ("move", "unlink") and not there or name in ("link", "own") and there:
                return None
            others = [(p, m) for p, m in self.order(links, owner) if m != member]
            i = len(others) if name in ("own", "unlink") else min(after[0], len(others))
            low, high = others[i - 1][0] if i else None, others[i][0] if i < len(others) else None
            self.serial += 1
            place = between(low, high, self.serial)
            self.seen[place] = low, high
            self.spec.say(c, Word("link" if name == "own" else name, owner, member, place, None))
            if "ties" in self.faults:
                place = between(low, high, self.serial, ties=False)
                self.seen[place] = low, high
            if "own side first" in self.faults and name == "own" and others:
                place = between(None, others[0][0], self.serial)
            self.design.say(c, Word("link" if name == "own" else name, owner, member, place, None))
        return self.compare(outcome)

    def compare(self, outcome):
        """What the two halves differ in, and neighbours that have been parted."""
        if outcome and outcome[0] != outcome[1]:
            return f"the save: {outcome[0]} by Spec, {outcome[1]} by Design"
        views = {c: (self.spec.heard(c), self.design.heard(c)) for c in PARENT}
        views["store"] = (self.spec.store, self.spec.gone), (self.design.store, self.design.gone)
        for c, ((links, gone), (others, missing)) in views.items():
            for o in OWNERS:
                mine, yours = self.order(links, o), self.order(others, o)
                if [m for _, m in mine] != [m for _, m in yours]:
                    return f"{c} sees of {o}: {[m for _, m in mine]} by Spec, {[m for _, m in yours]} by Design"
                there = {p: i for i, (p, _) in enumerate(yours)}
                for p, i in there.items():
                    low, high = self.seen.get(p, (None, None))
                    if there.get(low, -1) >= i or there.get(high, i + 1) <= i:
                        return f"{c}: a member of {o} does not stand between the neighbours that were seen"
            if gone != missing:
                return f"{c} has deleted: {set(gone)} by Spec, {set(missing)} by Design"
            if any(x for x in others if not missing.isdisjoint(x)):
                return f"{c} has a link without an end"
        return None


def link_run(seed, faults=(), length=40):
    """One random run; returns the sequence so far and what is wrong, or None."""
    r = random.Random(seed)
    world, done = LinkWorld(faults, r.choice(["error", "error", "store"])), []
    for _ in range(length):
        name, c = r.choices(("link", "own", "move", "unlink", "delete", "save", "rollback"), (8, 3, 4, 4, 1, 9, 1))[0], r.choice(list(PARENT))
        op = (name, c)
        if name == "delete":
            op += (r.choice(OWNERS + MEMBERS),)
        elif name not in ("save", "rollback"):
            op += (r.choice(OWNERS), r.choice(MEMBERS))
            op += (r.randrange(4),) if name in ("link", "move") else ()
        done.append(op)
        wrong = world.do(op)
        if wrong:
            return world.policy, done, wrong
    return None


def link_shrink(policy, sequence, faults):
    """A shorter sequence that goes wrong too."""
    def fails(ops):
        """Where a sequence goes wrong and how, or None."""
        world = LinkWorld(faults, policy)
        for n, op in enumerate(ops):
            wrong = world.do(op)
            if wrong:
                return n, wrong
    changed, wrong = True, fails(sequence)[1]
    while changed:
        changed = False
        for i in range(len(sequence)):
            found = fails(sequence[:i] + sequence[i + 1:])
            if found:
                sequence, wrong, changed = (sequence[:i] + sequence[i + 1:])[:found[0] + 1], found[1], True
                break
    return policy, sequence, wrong


def links_randomly(count, faults=(), first=0):
    """Random runs until one goes wrong: (seed, policy, shrunk sequence, what is wrong), or None."""
    for seed in range(first, first + count):
        found = link_run(seed, faults)
        if found:
            return seed, *link_shrink(found[0], found[1], faults)
    return None
