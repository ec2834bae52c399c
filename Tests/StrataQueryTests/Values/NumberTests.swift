// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataQuery
import StrataTestSupport
import Testing

@Suite struct `A calculation` {
  private func calculate(
    _ left: PropertyValue, _ operation: Number.Operator, _ right: PropertyValue
  ) throws
    -> PropertyValue
  {
    let (left, right) = (try #require(Number(left)), try #require(Number(right)))
    return Number.calculate(left, operation, right)?.value ?? .null
  }

  @Test func `of integers is exact or has no value`() throws {
    #expect(try calculate(.int(7), .divide, .int(-2)) == .int(-3))
    #expect(try calculate(.int(.max), .add, .int(1)) == .uint(1 << 63))
    #expect(try calculate(.uint(.max), .add, .int(1)) == .null)
    #expect(try calculate(.int(.min), .subtract, .int(1)) == .null)
    #expect(try calculate(.int(.min), .divide, .int(-1)) == .uint(1 << 63))
    #expect(try calculate(.uint(.max), .multiply, .uint(.max)) == .null)
    #expect(try calculate(.int(.min), .multiply, .uint(.max)) == .null)
  }

  @Test(arguments: [PropertyValue.int(0), .uint(0), .double(0), .double(-0.0), .decimal(0)])
  func `by zero has no value`(zero: PropertyValue) throws {
    for value: PropertyValue in [.int(1), .double(1), .decimal(1), .int(0), .double(.nan)] {
      #expect(try calculate(value, .divide, zero) == .null)
    }
  }

  @Test func `with a floating-point number is one of these`() throws {
    #expect(try calculate(.int(1), .add, .double(0.5)) == .double(1.5))
    #expect(try calculate(.decimal(3), .multiply, .double(0.5)) == .double(1.5))
    #expect(try calculate(.double(1e308), .multiply, .int(10)) == .double(.infinity))
    #expect(try calculate(.int(2), .power, .int(-1)) == .double(0.5))
  }

  @Test func `of decimals is a decimal`() throws {
    let tenth = try #require(Decimal(string: "0.1"))
    let fifth = try #require(Decimal(string: "0.2"))
    #expect(try calculate(.decimal(tenth), .add, .decimal(tenth)) == .decimal(fifth))
    #expect(try calculate(.decimal(tenth), .multiply, .int(2)) == .decimal(fifth))
    #expect(try calculate(.decimal(.nan), .add, .int(2)) == .null)
  }

  @Test func `of decimals rounds to a decimal's precision`() throws {
    func decimal(_ text: String) throws -> PropertyValue {
      .decimal(try #require(Decimal(string: text)))
    }
    let third = try calculate(.decimal(1), .divide, .decimal(3))
    #expect(
      try calculate(third, .multiply, .int(3))
        == decimal("0.99999999999999999999999999999999999999"))
    #expect(
      try calculate(.decimal(2), .divide, .decimal(3))
        == decimal("0.66666666666666666666666666666666666667"))
    #expect(try calculate(decimal("1e127"), .multiply, decimal("1e127")) == .null)
    #expect(try calculate(decimal("1e-128"), .multiply, decimal("0.1")) == .decimal(0))
    #expect(try calculate(decimal("1e100"), .add, decimal("1e-100")) == decimal("1e100"))
    #expect(try calculate(decimal("-2.5"), .subtract, decimal("-2.5")) == .decimal(0))
    #expect(try calculate(decimal("-7.5"), .divide, decimal("2.5")) == .decimal(-3))
    #expect(try calculate(decimal("12.5"), .add, decimal("-0.25")) == decimal("12.25"))
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `of small decimals equals Foundation's`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func number() -> Decimal {
      Decimal(
        sign: Bool.random(using: &random) ? .minus : .plus,
        exponent: Int.random(in: -6...3, using: &random),
        significand: Decimal(Int64.random(in: 0...99_999_999, using: &random)))
    }
    for _ in 0..<500 {
      let (one, two) = (number(), number())
      let (left, right) = (PropertyValue.decimal(one), PropertyValue.decimal(two))
      #expect(try calculate(left, .add, right) == .decimal(one + two), "seed \(seed)")
      #expect(try calculate(left, .subtract, right) == .decimal(one - two), "seed \(seed)")
      #expect(try calculate(left, .multiply, right) == .decimal(one * two), "seed \(seed)")
      guard case .decimal(let quotient) = try calculate(left, .divide, right) else {
        #expect(two.isZero, "seed \(seed)")
        continue
      }
      let product = NSDecimalNumber(decimal: quotient * two - one).doubleValue
      #expect(abs(product) < 1e-20, "seed \(seed): \(one) / \(two)")
    }
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func `of whatever numbers never traps`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func number() -> PropertyValue {
      let bits = random.next() >> UInt64.random(in: 0..<64, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: return .int(Int64(bitPattern: random.next()))
      case 1: return .uint(bits)
      case 2: return .double(Double(bitPattern: random.next()))
      default:
        return .decimal(
          Decimal(
            sign: bits & 1 == 1 ? .minus : .plus, exponent: Int(bits % 250) - 125,
            significand: Decimal(random.next()) * Decimal(random.next())))
      }
    }
    for _ in 0..<3_000 {
      let (left, right) = (number(), number())
      let operation: Number.Operator =
        [.add, .subtract, .multiply, .divide, .power].randomElement(using: &random) ?? .add
      _ = try calculate(left, operation, right)
      _ = left.fitting(.decimal)
      let order = ValueOrder.order(left, right)
      #expect(order == ValueOrder.order(right, left).map { -$0 }, "\(left) \(right)")
      #expect(ValueOrder.areEqual(left, right) == (order == 0), "\(left) \(right)")
    }
  }
}

@Suite struct `Numbers of different types` {
  private func order(_ left: PropertyValue, _ right: PropertyValue) -> Int? {
    ValueOrder.order(left, right)
  }

  @Test func `are compared exactly`() {
    #expect(order(.int(.max), .double(0x1p63)) == -1)
    #expect(order(.uint(1 << 63), .double(0x1p63)) == 0)
    #expect(order(.int((1 << 53) + 1), .double(0x1p53)) == 1)
    #expect(order(.int(-1), .uint(.max)) == -1)
    #expect(order(.int(2), .double(2.5)) == -1)
    #expect(order(.int(-2), .double(-2.5)) == 1)
    #expect(order(.int(0), .double(-0.0)) == 0)
    #expect(order(.int(0), .double(.infinity)) == -1)
    #expect(order(.int(0), .double(-.infinity)) == 1)
    #expect(order(.int(0), .double(.nan)) == nil)
    #expect(order(.decimal(2), .int(2)) == 0)
    #expect(order(.string("2"), .int(2)) == nil)
    #expect(order(.null, .null) == nil)
  }
}
