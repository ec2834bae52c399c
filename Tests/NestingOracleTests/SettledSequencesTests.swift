// SPDX-License-Identifier: Apache-2.0
import NestingOracle
import StrataTestSupport
import Testing

/// Short sequences in which the engine and the promise once differed, one to a paragraph. Random
/// work found them, and left out the steps that were not needed.
private let settled = """
  insert R y; hold G x; part C x y; set G x b; pair R x y; rollback G; rollback C; delete G y

  insert R u; set G x a; like D x x; save D; delete D u; part C x u; begin R; save C; save D

  insert C y; insert D z; save D; delete G y; part G x z; part C z y; part C x z; save G

  set D x a; set R x a; begin R; set G x b; set G x a; save D; set C x a; save G; save C; set G
  x a; set R x b; set G x b; finish R; save G; save C; save R

  policy rollback; insert S y; set R x a; delete C x; delete S x; begin S; finish S; set D x a;
  begin R; set R y b; save C; finish R; begin R; save D

  policy error, undo R; delete R x; save R; undo R; begin R; delete R x; finish R; undo R

  policy error, undo G; insert D z; save D; lead G x z; delete C z; set G x a; undo G; undo G;
  redo G

  policy error, undo R; set G x a; set R x a; save R; undo R; merge G; save G; save C; save R

  policy error, undo C; insert S y; part S x y; save S; hold C y; pair D y x; save D; delete C
  y; save C; undo C

  policy overwrite, undo G; insert R y; pair C y x; save R; pin R; set S y a; save C; save R;
  save S; delete G x; set R x a; save R; undo G

  policy error, undo G; insert G u; insert C z; insert G y; lead G y z; stop G y u; stop G y z;
  undo G

  policy error, undo G; hold G x; insert G u; save G; pair C x u; undo G; save G; redo G

  policy rollback, undo S; set G x b; delete S x; save G; save S; save C; delete D x; begin R;
  save D; undo S; finish R; save S

  policy error, undo D; insert D y; save D; hold D y; reset R; undo D

  set R x b; code C x 1; save C; delete C x; code R x -; save R; save C; save R

  insert C u; stop C x u; unstop G x u; stop G x u; unstop C x u

  policy error, undo R; insert D y; save D; delete C y; begin R; save C; finish R; undo R

  policy error, undo D; insert R u; pair D x u; save D; delete D x; delete R x; undo D

  policy error, undo C; set D x a; code R x 1; save R; hold C x; save D; set G x a; code C x -;
  save G; delete C x; save C; undo C; save C; save R

  policy error, undo G; delete G x; undo G; hold G x; delete R x; redo G

  policy error, undo R C; insert R u; lead R x u; delete C u; save C; undo C; undo R; redo C;
  save C

  policy store, undo R; set S x b; insert G y; pair G y x; save S; save G; save C; part G x y;
  save G; delete C y; save C; save R; undo R

  policy error, undo G; insert C y; stop G x y; save C; delete C y; save R; set D y b; save C;
  undo G; save R; save D

  set G x a; insert G y; hand G; pair G y x; save G; set G x a; delete C y; save C; save R; save
  G; save C; save R

  policy error, undo C; pin D; like C x x; delete R x; save R; undo C; set D x b; save D

  policy store, undo G; delete G x; undo G; delete S x; set R x a; save S; hold G x; save R;
  redo G

  policy error, undo D; hold G x; delete C x; like D x x; save C; undo D; save R; set G x a;
  save G; save C

  policy error, undo S; insert S y; begin S; delete S y; finish S; undo S

  policy error, undo G; insert S y; save S; stop G y x; delete C y; delete G x; rollback C; undo
  G

  policy rollback; hold D x; insert R u; part D x u; link R x u; save R; save D; save R; delete
  D u

  policy object, undo R; hold S x; delete R x; save R; set S x b; begin S; set S x b; finish S;
  undo R; save R

  insert R y; lead R y x; unstop G y x; lead G y x; set G y a; delete C y

  policy error, undo C; delete G x; save G; delete D x; undo C; hold C x; save D; redo C

  policy error, undo S; code S x 2; code C x 2; save S; set D x b; save C; undo S; merge D; save
  D; save S; save R

  policy error, undo C; set G x b; like C x x; delete R x; undo C

  insert C y; save C; lead R y x; set D y b; insert C z; delete G y; save C; save R; stop S y z;
  save G; save S; lead R y z; save C

  policy error, undo R; insert C y; save C; delete G y; save G; begin R; save C; finish R; undo
  R

  set S x b; set D x b; save S; save D; merge R; save R

  policy error, automatic R; delete D x; set R x a; begin R; save D; finish R; save R

  policy error, automatic R; insert C y; save C; hold G y; set R y b; set G y b; save G; save R;
  save C; begin R; finish R

  insert G y; save G; save C; set C y b; set R y b; save R; save C; merge R; save R

  policy error, automatic R; insert C y; save C; code C y 2; save R; set S y b; save S; save C;
  save R

  policy error, automatic R; pin D; set R x b; save R; delete D x; save D; save R

  policy error, automatic R; code D x 2; set R x a; save R; save D; save R

  policy error, automatic R; insert G y; part G x y; set S x b; save S; save G; save C; save R

  policy error, automatic C; set G x b; set D x a; save D; save G; save R; save C; save R

  set C x b; set R x a; save R; save C; merge R; save R

  policy error, automatic R; set D x b; set R x a; save R; save D; begin R; finish R

  policy error, automatic R; set C x a; set S x a; begin S; finish S; save C; begin R; finish R

  policy error, automatic R; delete C x; set D x b; save D; save R; save C; save R

  policy error, automatic R; set S x b; set C x b; save S; save C; save R

  policy error, automatic R; delete C x; set S x a; save S; save C; save R

  policy error, automatic R; set D x b; set C x b; save D; save R; save C; save R

  policy error, automatic R; set S x a; code G x 2; save G; save S; save C; save R

  policy error, undo R; insert R y; save R; delete D y; lead S x y; save S; part R x y; save D;
  save R; undo R

  policy error, automatic R; set C x b; code D x 1; save D; save R; save C; save R

  set G x b; set S x b; save S; save G; save C; merge R; save R

  set D x b; code R x 1; save R; save D; merge R; save R

  policy error, automatic R; set S x a; set C x b; save S; save C; save R

  policy error, automatic R; code S x 2; hold D x; begin S; finish S; delete D x; save D; save R

  set C x a; set S x b; save S; save C; merge R; save R

  set S x b; delete D x; begin S; finish S; save D; merge R; begin R; finish R

  set C x a; set R x b; save R; save C; merge R; save R

  policy error, automatic R; set C x a; set R x b; save R; save C; save R

  policy error, automatic R; set C x a; set R x b; begin R; save C; finish R; save R

  policy error, automatic R; insert R y; save R; delete D y; set S y a; save S; save D; save R

  set G x b; save G; set R x a; save R; save C; merge R; save R

  policy error, undo C; set G x b; like R x x; delete C x; undo C; redo C

  policy error, undo D; like R x x; save R; set C x a; delete D x; undo D; redo D; save D

  policy error, undo G; insert R y; insert S u; save S; set C u b; delete G y; pair R u y; undo
  G

  insert R y; lead G y x; save R; insert D z; save G; save C; lead D y z; save D; unstop C y x;
  stop C y x; reset R

  policy error, undo S; insert S y; undo S; redo S; begin S; delete S y; finish S; undo S

  policy store, undo R; insert R y; set C x b; set R x b; save R; pair R y x; delete C x; save
  C; save R; undo R

  policy error, undo R; insert C y; lead C x y; link G y x; save C; save R; undo R

  policy overwrite, undo C; insert S y; save S; set S y b; pair C x y; delete C y; save C; save
  R; save S; undo C

  set C x b; insert C y; set R x b; begin R; merge C; link G x y; rollback C; save G; save C;
  finish R; save R

  policy error, undo C; insert D y; save D; hold C y; insert C u; save C; pair R y u; delete C
  y; undo C

  policy overwrite, undo R; set C x b; save C; set C x b; delete S x; save C; set G x a; undo R;
  save R; save S; save G

  policy error, undo C; insert D y; save D; part G x y; save G; delete C y; delete R y; undo C

  policy rollback; set C x b; insert D z; link D z x; save D; pair R x z; delete G x; save G;
  save R; save C; save R

  policy error, undo R; insert G u; insert C y; save C; stop G u y; save G; delete D y; save C;
  save R; save D; begin R; finish R; undo R

  policy error, undo D; delete D x; delete C x; save C; undo D; rollback R; redo D

  policy error, undo D; insert R y; save R; like D x y; set D y a; delete S y; save S; undo D;
  redo D

  policy error, undo C; insert G y; save G; save C; set G x b; save G; pair R y x; pair C y -;
  undo C

  insert C u; save C; pair R x u; + set G u a

  set G x a; insert R y; insert G u; delete C x; stop R y x; stop G y u; save C

  set D x a; pin R; save D; hold C x; save R; merge C; set C x b; delete R x; save R; save C

  policy error, undo R; insert S y; pair S x y; set R x a; save S; delete R x; undo R

  insert S z; save S; part R x z; set S x b; save S; insert G y; like C x z; begin R; save G;
  save C; delete R y; finish R

  policy overwrite; set C x b; save C; hold C x; like R x x; save R; delete R x; set C x b; save
  R; set G x a; save C; refreshAll G; save R

  hold G x; delete D x; like R x x; set C x a; code G x 1; rollback G; save D; save C; code G x
  1; begin R; finish R; save G

  policy object; set D x a; insert R y; save D; like G y x; save G; save C; delete S x; save S;
  set D x b; save R; save D

  policy rollback; hold R x; like C x x; save C; delete S x; insert C z; save S; save C; set R x
  a; set G x b; begin R; save G; finish R; save C

  hold G x; insert C y; pair C x y; set G y a; pair G x y; save C; set C y a; delete R x; save G

  policy error, undo G; insert D y; save D; set G x a; pair R y x; delete G y; undo G

  policy error, undo D; insert C y; save C; pair R y x; delete G y; code D y 1; save G; save C;
  delete D y; undo D

  policy error, undo D; insert D y; save D; pair R x y; delete D y; rollback R; merge D; undo D;
  undo D

  policy error, undo G; insert G z; save G; save C; delete G x; save G; undo G; pair R x z; undo
  G; redo G

  policy error, looks held; like D x x; save D; delete S x; save S; merge R

  policy overwrite; delete S x; pin G; insert R u; set G x b; save G; save C; save R; save S;
  pair G x u; unpin G; + save G

  policy rollback; insert R y; set D x b; part R x y; save R; save D; lead C x y; save C; delete
  S y; save S; begin R; delete R x; finish R

  policy error, undo C; insert C u; insert S y; save S; part G y x; delete D x; save G; part G y
  u; save D; save G; undo C

  policy error, undo D; insert R y; insert R z; link R x y; link D x z; delete R y; undo D

  policy error, undo R; insert D y; save D; pair C x y; save C; delete C y; save R; delete R x;
  save R; save C; undo R

  policy error, undo G; set C x a; insert S y; pair S x y; save S; delete G y; undo G

  insert R z; insert R y; pair D y z; save D; save R; pair R x y; hold D y; rollback R; pair D x
  z

  policy error, automatic C; insert D u; save D; save R; delete G u; pair R x u; save R; delete
  R x; save G; save C; save R

  policy error, undo C; insert R y; delete G y; save G; save R; save C; undo C; part G y x; save
  C; delete S y; save R; save S; save G

  insert C y; save C; stop G x y; save G; pair G y x; rollback R; stop G x y; save C

  policy object; delete S x; insert S y; set C x a; set R x a; begin S; finish S; begin R; like
  R y x; finish R

  policy rollback; set G x a; save G; set G x a; delete R x; save R; save C; insert R y; begin
  R; stop R x y; finish R

  policy object; insert D y; set R x a; delete S x; save D; save S; begin R; stop R x y; pair G
  y x; finish R

  policy rollback; delete S x; hold D x; save S; insert D z; set D x a; save D; begin R; like R
  x z; set G x b; finish R

  policy store; insert C y; set R x a; delete S x; save S; begin R; lead C y x; save C; set C x
  b; finish R

  policy rollback; set G x b; insert S z; begin S; delete S x; finish S; link R x z; save S;
  begin R; like R x z; finish R

  policy object; insert R z; delete S x; set D x a; save S; save D; begin R; like R x x; part D
  x z; finish R

  policy error, undo G; insert G z; save G; save C; begin R; finish R; delete G x; save G; save
  C; undo G; rollback R; redo G; pair R x z; undo G; redo G

  policy store; set G x b; delete D x; insert D z; set C x a; save D; save R; save C; begin R;
  lead R x z; finish R

  policy rollback; delete S x; insert D y; save D; set G x b; set R x b; save S; begin R; like R
  x y; finish R

  policy rollback; set R x b; delete S x; save S; set C x b; begin R; like R x x; finish R

  policy error, automatic S, undo C; insert R y; delete G y; save G; save R; save C; undo C;
  part G y x; save C; set R y b; delete S y; save R; save S; save G

  policy rollback; insert C y; set G y a; save C; save R; delete S y; set C y a; save S; insert
  R u; save C; begin R; lead R y u; finish R

  policy error; set R x a; set S x b; save S; fail refresh R x; save R

  policy error; set G x a; set R x b; set S x b; save S; save R; fail refreshAll G; save G; save
  C; save R

  policy error; insert R y; code R y 1; code S x 1; save S; begin R; set C y a; save C; finish R

  policy error; insert R y; delete D x; set G y a; set G x a; delete D y; lead C y x; save C;
  delete S x; save S; save D

  policy error; insert R y; set G y a; set G x a; like C y x; save C; delete D y; delete S x;
  save S; save D

  policy error; insert C z; save C; set C z b; stop D x z; rollback R; delete D x; save D; save R;
  save C

  policy error; insert G u; save G; lead C x u; set G x b; delete D x; unstop G x u; save D; save R;
  save G

  policy error, checked C error, checked D error, looks all; code D x 1; save D; code G x -; set R x
  a; set C x a; save G; delete C x; save C

  policy error, checked D store, checked G error, automatic G, looks all; code G x 1; save G; set G
  x b; code R x 1; save R; save C; save G; delete S x; save S; rollback R; save C

  policy error, undo G, looks all; set G x b; delete C x; delete G x; merge G; like R x x; undo G;
  unlike G x x; save G

  policy error, automatic G, undo G, looks all; insert R y; pair C y x; delete G x; reset C; undo G

  policy error, checked G overwrite, undo C, looks all; set G x a; hold C x; delete R x; save G;
  undo C

  policy error, undo C, looks all; insert R y; save R; pair C y x; save C; delete C x; rollback R;
  undo C

  policy overwrite, checked C overwrite, looks all; insert D y; pair D y x; save D; insert S u; set
  S x b; set C x b; save R; save S; save C; begin R; pair R y u

  policy error, automatic C, undo C, looks all; insert D u; insert G y; through D; pair C x u;
  delete G x; delete S x; save S; save G; undo C

  policy error, undo C, looks all; insert D u; through D; link C x u; link G x -; link C x -;
  insert G y; save G; undo C

  policy error, undo C, looks all; insert R y; hold C x; pair R y x; delete G y; save G; delete R
  x; save C; undo C

  policy error, looks all; insert R y; set S x b; delete D y; stop R y x; pin R; save D; save S;
  save R

  policy error, automatic G, looks all; insert R u; insert G y; pair G u y; part G x y; pair C u x;
  save C; save G

  policy rollback, looks all; set G x b; hold C x; save G; save C; set G x b; set S x b; save S;
  through G

  policy overwrite, looks all; insert C y; pin R; save C; set C x a; part D x y; set S x a;
  delete C y; save D; save R; save S; save C; save R

  policy overwrite, undo C G; hold G x; insert G y; save G; delete G y; insert G u; part C x y;
  save G; save C; link G x u; save R; undo C; delete C y; save G; undo C

  policy error, checked C overwrite, looks all; insert C y; save C; hold C y; delete D y; save D;
  code C y 2; through C

  policy error, checked G overwrite, looks all; insert C y; set G y b; delete C y; through G

  policy error, checked G overwrite, automatic R, looks all; hold R x; pin R; set G x b; through G

  policy error, looks all; hold G x; pin C; set G x b; through G; set G x a; through G

  policy error, checked C store, checked D error, undo C, looks all; like D x x; save D; delete G x;
  rollback R; save G; undo C; like D x x; save D

  policy error, checked G overwrite, looks all; insert C z; save C; pair D z x; save D; pair G x z;
  delete C x; save G; save C

  policy error, checked C overwrite, undo R, looks all; delete D x; set R x b; set C x b; save R;
  save D; save C; delete R x; undo R; refreshAll R

  policy error, checked C rollback, checked D error, looks all; insert C y; hold G y; set C y b;
  save C; + delete G y; + save G; + save C; + set G y a

  policy error, undo G, looks all; insert C u; insert D y; pair G x u; pair D x y; through D; undo G

  policy store, checked D overwrite, undo C, looks all; set S x a; insert D y; save D; pair R y x;
  save R; like S x y; pin C; save S; delete C x; save C; undo C; save R; delete C x; save C

  policy error, checked C error, checked D rollback, undo G, looks all; insert G y; like G x y;
  save G; undo G; save C; reset R; undo G

  policy error, checked C error, checked D error, undo G, looks all; delete G x; save G; set R x b;
  save R; undo G; save G; merge C

  policy error, checked C error, checked D store, undo G, looks all; insert D u; save D; lead R x u;
  unstop G x u; rollback R; code R x 1; code G x -; undo G

  policy error, checked C store, undo G, looks all; like G x x; save G; undo G; set G x a;
  delete C x; undo G

  policy error, looks all; set R x b; set G x a; save G; begin C; set R x a; finish C; save R

  policy error, looks all; set C x a; begin C; set R x a; finish C

  policy error, automatic C, looks all; insert G y; save G; set G x b; begin G; set R x a; finish G

  policy error, checked G object, looks all; set G x b; begin G; hold G x; set C x a; finish G

  policy object, looks all; insert R y; save R; hold D y; set D y a; pair S y x; save S; begin D;
  set R y b; finish D

  policy error, checked C overwrite, looks all; insert S y; save S; insert R u; hold G u;
  link D y u; link G y x; save D; save R; begin G; pair R u y; finish G

  policy rollback, undo D, looks all; set C x b; delete D x; through C; save D; undo D; begin R;
  save D; redo D; save D; finish R; undo D; save D

  policy rollback, looks all; insert C y; pair G x y; through C; part R y x; save R; save G;
  lead D y x; delete C x; set S y a; set D y b; save C; lead S y x; delete D y; through C; save S;
  through D

  policy error, automatic R, looks all; insert R y; delete D y; begin D; link R x y; finish D

  policy error, checked C rollback, looks held; hold C x; pin R; set R x b; save R; set C x b;
  set S x a; save S; through C

  policy error, checked C overwrite, checked G object, undo G, looks all; delete G x; delete R x;
  save G; insert C y; undo G; redo G; set G y a; save G; rollback R

  policy overwrite, undo R, looks all; delete D x; save D; set S x b; begin R; finish R; undo R;
  save S; redo R; insert R u; read R x; save R

  policy error, checked C rollback, automatic R, looks all; insert C y; insert C u; begin G;
  delete G y; save G; finish G; set R y b; merge C; begin G; link D u y; save D; finish G

  policy error, checked D overwrite, looks all; insert D y; save D; set D y b; begin R;
  delete R y; save D

  policy overwrite, checked C store, checked D error, looks all; insert S y; save S; set R y b;
  hold C y; set G x b; hold G y; pair S x y; through C; save S; delete C y; through G

  policy store, checked G overwrite, undo S, looks all; delete S x; insert C z; hold G x; save S;
  undo S; part G x z; through G; save S

  policy error, checked C store, checked D object, looks all; code D x 2; set C x b; insert S y;
  save S; begin G; save D; stop C x y; finish G; begin C; code G y 1; delete C y; finish C;
  stop R x y

  policy error, automatic G, looks all; insert G y; through G; set G y a; begin G; code C y 1;
  finish G; lead G x y; begin G; delete D x; save D; finish G

  policy error, checked D error, looks all; set R x a; insert D y; delete D y; begin D; set D x b;
  save D; finish D

  policy error, undo C, looks all; unpin C; delete G x; save G; set D x a; save D; undo C
  """

@Suite struct `What random work in nested contexts has found` {
  @Test func `is as promised by now`() async throws {
    let complaints = try await onOwnThread {
      try settled.split(separator: "\n\n").compactMap { sequence in
        let trial = try Trial(sequence.split(separator: "\n").joined(separator: " "))
        return trial.run().map { "\($0.trial): \($0.complaint)" }
      }
    }
    for complaint in complaints { Issue.record("\(complaint)") }
  }
}
