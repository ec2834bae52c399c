# SPDX-License-Identifier: Apache-2.0
"""Contexts in contexts: what users are promised against the mechanism of the design.

`promise.py` says what users are promised (Spec), `mechanism.py` how it is done (Design), `world.py` runs both side
by side and compares them after each step; `links.py` does the same for many-to-many and ordered links. Each planted
fault is one wrong line in the mechanism and must be found.

A step is one turn, except between `enter` and `leave`. What a turn reads late from an old view is as if it had been
read and held when the view was taken, and automatic merging is a merge that may come at any time.

  python3 nesting_model.py --small    fixed cases, planted faults, small exhaustive scopes, some random runs
  python3 nesting_model.py --all      the same, deeper, planted faults found at random, many random runs
  python3 nesting_model.py random N [FIRST]   N random runs;   seed S   that run again, shrunk
  python3 nesting_model.py links N [FIRST]    N random runs of links

The exit status is 1 if the halves disagree or a planted fault is not found.
"""
import sys
import time
from links import LinkDesign, links_randomly
from mechanism import Design
from promise import KEYS
from world import explore, ops, randomly, run


def case(text):
    """A sequence from its short form: "set R x a; save R"."""
    return [tuple(None if w == "nil" else w for w in op.split()) for op in text.split(";")]


# For each planted fault a short sequence that finds it, which goes well without the fault.
CASES = {
    "whole record": ("error", "set C x b; set R x a; save C"),
    "relabel all": ("error", "hold C x; set D x b; save D; save R; set C x a; save C"),
    "no mask": ("object", "set S x b; set R x a; save S; save R"),
    "forget take-backs": ("error", "set R x a; hold D x; release D x; fetch D; rollback R"),
    "skip a layer": ("error", "fetch G; set R x b"),
    "newest base": ("error", "hold C x; set S x a; save S; set R x b; set C x a; save C; save R"),
    "the older base": ("store", "insert R y; hold G y; set R y b; set C y a; set G y a; save G; save R; save C; save R"),
    "generations alone": ("store", "insert R y; hold G y; set R y b; set C y a; set G y a; save G; save R; save C; save R"),
    "any setter's word": ("store", "hold C x; set S x a; save S; set C x b; set D x a; save C; save D; save R"),
    "identity by generation": ("error", "set C x b; set R x a; save C"),
    "raise all": ("error", "hold C x; set R x a; begin R; set C x a; save C; finish R; save R"),
    "raise what was lost": ("store", "set R x a; set S x a; save S; begin R; set R x a; finish R; save R"),
    "receiver's delete base": ("error", "set C x a; set S x b; save S; set R x a; delete C x; save C; save R"),
    "drop what the store lost": ("error", "delete D x; set G x a; save D; save R; save G"),
    "merge compares records alone": ("error", "hold D x; set S x b; save S; set D x a; save D; delete C x; refresh R x; merge C; rollback R; save C; save R"),
    "merge raises all": ("error", "hold C x; set S x a; save S; set C x a; save C; lose R; merge R; save R"),
    "compare derived": ("error", "set D x b; save D; pin D; save R; set D x a; save D; save R"),
    "derived unlike": ("error", "set C x b; save C; save R"),
    "saver keeps its base": ("error", "delete R x; delete S x; save S; insert C x; save C; set C x b; refresh R x; save C"),
    "fetch settles what is being saved": ("error", "set S x a; delete R x; save R; begin S; set S x b; finish S; merge S"),
    "land a push twice": ("custom", "set R x b; set D x b; save D; begin R; set S x b; save S; finish R"),
    "forget what arrived": ("error", "enter R; set D x a; save D; leave R"),
    "arrive beneath the turn": ("error", "enter R; set D x a; set R x a; save D; leave R"),
    "show arrivals to the turn": ("error", "enter R; set D x b; save D"),
    "a failed save drops arrivals": ("error", "set S x a; set R x b; begin R; set C x a; save C; save S; finish R"),
    "pin moves": ("error", "pin C; insert R y"),
    "relabel through a pin": ("overwrite", "set C x a; pin C; save C; save R; hold C x; delete R x; set C x b; save R; save C"),
    "unpin unnoticed": ("error", "fetch C; pin C; fetch C; set R x a; fetch C; unpin C"),
    "save leaves the pin": ("error", "pin C; set C x b; save C"),
    "bytes left behind": ("error", "set C x e; save C; save R"),
    "bytes of what was read": ("overwrite", "set S x e; save S; set S x a; set R x e; save R; save S"),
    "policy sees the newest": ("custom", "set S x b; set R x b; save S; save R"),
    "undo sets all back": ("error", "set D x a; set C x a; save C; save D; undo C"),
    "feed cut unnoticed": ("error", "fetch C; lose C; set R x a"),
    "push unchecked": ("error, C error", "hold C x; set R x a; set C x a; save C"),
    "a refused push is lost": ("error, C error", "hold C x; set R x a; set C x a; save C"),
    "a checked push keeps its base": ("error, C error", "hold C x; set S x a; save S; set C x b; save C; save R"),
    "the saver keeps what it sent": ("error, C store", "hold C x; set R x a; set C x a; save C"),
}
# More that must go well, each once a mistake of the design or the model.
GOOD = [
    ("error", "hold C x; set S x a; save S; set D x a; zero S x a; save S; set C x b; save C; save D; save R"),
    ("error", "hold C x; set S x a; save S; set C x a; set D x a; save C; save D; save R"),
    ("error", "set S x a; begin S; set R x b; save R; fetch S; finish S; merge S"),
    ("overwrite", "insert G y; pair G x y; save G; save C; begin R; set S x b; finish R; begin S; set S y b; finish S"),
    ("error", "hold C x; set R x e; save R; undo R; set C x a; merge C; save C; save R"),
    ("overwrite", "insert D y; save D; delete D y; link C x y; save C; enter R; save D"),
    ("error", "set S x a; set C x a; save S; save C; set D x a; refresh R x; save D; save R"),
]

# name: (operations, depth in a small run, depth in a whole run, policies)
SCOPES = {
    "root and child, one object": (
        ops(("set", "save", "rollback", "hold", "release", "fetch", "merge"), "RC", "x", "ab"),
        4, 6, ("error",)),
    "two roots and a child": (
        ops(("set", "save", "rollback", "hold", "refresh", "fetch"), "RSC", "x", "a"),
        4, 6, ("error", "object", "store", "overwrite", "rollback", "custom")),
    "two children": (ops(("set", "save", "revert", "hold", "fetch", "merge"), "RCD", "x", "a"), 4, 6, ("error",)),
    "two setters, values that return": (
        ops(("set", "save"), "CD", "x", "ab")
        + [("hold", "C", "x"), ("save", "R"), ("set", "S", "x", "a"), ("zero", "S", "x", "a"), ("save", "S")],
        5, 8, ("error", "store")),
    "three deep": (ops(("set", "save", "rollback", "hold", "fetch"), "RCG", "x", "a"), 4, 6, ("error",)),
    "a save under way": (
        ops(("set", "save", "begin", "finish", "hold", "rollback"), "RC", "x", "ab")
        + [("set", "S", "x", "b"), ("save", "S")],
        4, 6, ("error", "store")),
    "a save that fails while pushes land": (
        ops(("set", "save", "merge"), "CD", "x", "a")
        + [("begin", "R"), ("finish", "R"), ("set", "R", "x", "a"), ("set", "R", "x", "b"), ("rollback", "R"), ("merge", "R")],
        4, 6, ("error",)),
    "deletions": (
        ops(("set", "save", "rollback", "hold", "delete", "merge"), "RC", "x", "a")
        + [("delete", "S", "x"), ("save", "S")],
        4, 6, ("error",)),
    "insertions": (ops(("set", "save", "rollback", "hold", "insert", "delete", "fetch"), "RCG", "y", "a"), 4, 6, ("error",)),
    "links": (ops(("set", "save", "rollback", "link", "delete", "insert", "hold"), "RC", KEYS, "a"), 3, 5, ("error",)),
    "one-to-one": (ops(("save", "rollback", "pair", "insert", "hold"), "RC", KEYS, "a"), 4, 5, ("error",)),
    "checked saves": (
        ops(("set", "save", "rollback", "hold"), "RCD", "x", "a"), 4, 6,
        ("error, C error, D error", "error, C store, D error", "object, C custom, D overwrite", "error, C rollback, D object")),
    "checked saves through levels": (
        ops(("set", "save", "hold", "delete"), "RCG", "x", "a"), 4, 6,
        ("error, C error, G error", "error, C error, G store", "error, C overwrite, G error")),
    "checked saves to a busy parent": (
        ops(("set", "save"), "CD", "x", "ab") + ops(("enter", "leave", "set"), "R", "x", "ab"), 4, 6, ("error, C error, D error",)),
    "a busy parent": (
        ops(("set", "save"), "CD", "x", "ab")
        + ops(("enter", "leave", "save", "rollback", "set", "delete", "fetch"), "R", "x", "ab"),
        4, 7, ("error",)),
    "a busy parent beneath": (
        ops(("set", "save", "hold"), "CG", "x", "a")
        + ops(("enter", "leave", "set"), "RC", "x", "a"),
        4, 7, ("error",)),
    "pins": (
        ops(("set", "save", "rollback", "fetch"), "RC", "x", "a")
        + ops(("pin", "unpin", "hold", "refresh"), "C", "x")
        + [("set", "S", "x", "a"), ("save", "S")],
        4, 6, ("error", "store")),
    "pins of a root": (ops(("set", "save", "fetch"), "RCS", "x", "a") + ops(("pin", "unpin", "merge"), "R"), 4, 6, ("error",)),
    "external bytes": (
        ops(("set", "save", "rollback", "delete"), "RC", "x", "e")
        + ops(("set", "save", "delete"), "S", "x", "ae"),
        4, 6, ("error", "overwrite", "store", "object")),
    "a policy of one's own": (ops(("set", "save", "hold"), "RSC", "x", "ab"), 4, 6, ("custom",)),
    "lost news": (
        ops(("set", "save", "hold", "fetch", "merge"), "RC", "x", "a")
        + [("lose", "C"), ("lose", "R"), ("set", "S", "x", "a"), ("save", "S")],
        4, 6, ("error",)),
    "undo": (
        ops(("set", "save", "undo", "redo", "rollback", "hold"), "RC", "x", "a")
        + [("set", "S", "x", "b"), ("save", "S")],
        4, 6, ("error",)),
}


def everything(small):
    """The whole program; returns whether all is as it should be."""
    begun, well = time.time(), True

    def tell(good, *words):
        """Prints a result and remembers a bad one."""
        nonlocal well
        well = well and good
        print(*words, flush=True)
    for policy, text in GOOD + list(CASES.values()):
        wrong = run(case(text), (), policy)
        if wrong:
            tell(False, f"case: {policy}: {text}: {wrong}")
    print(f"cases: {len(GOOD) + len(CASES)} ({time.time() - begun:.0f} s)")
    for fault in Design.FAULTS:
        policy, text = CASES.get(fault, ("error", "fetch R"))
        found = run(case(text), (fault,), policy)
        tell(bool(found), f"planted: {fault}:", "found" if found else "NOT FOUND", f"by {policy}: {text}")
        if not small:
            found = randomly(10000, (fault,))
            print("    at random:", f"found by seed {found[0]}, {found[1]}, {len(found[2])} steps" if found else "not found by seeds 0 to 9999", flush=True)
    for fault in LinkDesign.FAULTS:
        found = links_randomly(3000, (fault,))
        tell(bool(found), f"planted: links: {fault}:", f"found by seed {found[0]}, {len(found[2])} steps" if found else "NOT FOUND by seeds 0 to 2999")
    print(f"planted faults: {len(Design.FAULTS) + len(LinkDesign.FAULTS)} ({time.time() - begun:.0f} s)")
    for name, (operations, shallow, deep, policies) in SCOPES.items():
        for policy in policies:
            steps, states, depth, wrong = explore(operations, shallow if small else deep, policy=policy, limit=None if small else 60)
            tell(not wrong, f"exhaustive: {name}, {policy}: all of {depth} steps, {steps} taken, {states} states:", wrong or "as promised")
    print(f"exhaustive: ({time.time() - begun:.0f} s)")
    count = 4000 if small else 100000
    wrong = randomly(count)
    tell(not wrong, f"random: seeds 0 to {count - 1}:", wrong or "as promised")
    wrong = links_randomly(count // 2)
    tell(not wrong, f"random: links, seeds 0 to {count // 2 - 1}:", wrong or "as promised", f"({time.time() - begun:.0f} s)")
    return well


if __name__ == "__main__":
    arguments = sys.argv[1:] or ["--small"]
    if arguments[0] in ("--small", "--all"):
        sys.exit(0 if everything(arguments[0] == "--small") else 1)
    if arguments[0] not in ("random", "seed", "links") or not all(a.isdigit() for a in arguments[1:]) or len(arguments) < 2:
        sys.exit(__doc__)
    number, first = int(arguments[1]), int(arguments[2]) if len(arguments) > 2 else 0
    if arguments[0] == "seed":
        wrong = randomly(1, (), number)
    else:
        print(f"seeds {first} to {first + number - 1}", flush=True)
        wrong = (randomly if arguments[0] == "random" else links_randomly)(number, (), first)
    print(wrong or "as promised")
    sys.exit(1 if wrong else 0)
