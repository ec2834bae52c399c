// SPDX-License-Identifier: Apache-2.0
import Strata

@Entity final class Bank: ManagedObject {
  @Attribute(.unique) var code: String
  @Relationship(deleteRule: .cascade, inverse: \Account.bank) var accounts: ToMany<Account>

  @discardableResult
  static func insert(_ code: String, into context: ManagedObjectContext) -> Bank {
    let bank = Bank(context: context)
    bank.code = code
    return bank
  }
}

@Entity final class Account: ManagedObject {
  @Attribute(.indexed) var name: String
  @Attribute(.indexed) var balance: Int = 0
  var bank: Bank?

  @discardableResult
  static func insert(
    _ name: String, balance: Int = 0, of bank: Bank? = nil, into context: ManagedObjectContext
  ) -> Account {
    let account = Account(context: context)
    account.name = name
    account.balance = balance
    account.bank = bank
    return account
  }
}
