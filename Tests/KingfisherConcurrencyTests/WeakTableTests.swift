import Foundation
import Synchronization
import Testing

@testable import KingfisherConcurrency

@Suite struct WeakTableTests {
    private final class Object: Sendable {}

    @Test("A value is found by key and object, changed in place, and removed with its object")
    func values() throws {
        let table = WeakTable<String, Object, Int>()
        let (first, second) = (Object(), Object())
        table.update(first, forKey: "a") { ($0 ?? 0) + 1 }
        table.update(first, forKey: "a") { ($0 ?? 0) + 1 }
        table.update(second, forKey: "a") { $0 ?? 7 }
        table.update(first, forKey: "b") { $0 ?? 9 }
        #expect(table.value(of: first, forKey: "a") == 2)
        #expect(table.value(of: second, forKey: "a") == 7)
        #expect(table.value(of: first, forKey: "b") == 9)
        #expect(table.value(of: second, forKey: "b") == nil)
        #expect(table.entries(forKey: "a").map(\.value) == [2, 7])
        #expect(table.count == 3)
        do {
            let third = Object()
            table.update(third, forKey: "a") { $0 ?? 8 }
            #expect(table.entries(forKey: "a").count == 3)
        }
        #expect(table.entries(forKey: "a").map(\.value) == [2, 7])
        withExtendedLifetime((first, second)) {}
    }

    @Test("Removed entries are not found, and their values are released")
    func removal() {
        let table = WeakTable<String, Object, Object>()
        let object = Object()
        weak var value: Object?
        for key in ["a", "b", "c"] {
            table.update(object, forKey: key) { _ in
                let new = Object()
                if key == "a" { value = new }
                return new
            }
        }
        table.removeAll(forKey: "a")
        #expect(value == nil && table.count == 2)
        #expect(table.entries(forKey: "a").isEmpty)
        #expect(Set(table.keyedObjects.map(\.key)) == ["b", "c"])
        table.removeAll()
        #expect(table.count == 0 && table.objects.isEmpty)
        withExtendedLifetime(object) {}
    }

    @Test("Entries of released objects are removed when the table has doubled")
    func sweep() {
        let table = WeakTable<Int, Object, Int>(leastEntries: 16)
        let retained = (0..<10).map { _ in Object() }
        for (number, object) in retained.enumerated() {
            table.update(object, forKey: number) { $0 ?? number }
        }
        for number in 100..<1_100 {
            table.update(Object(), forKey: number) { $0 ?? number }
            #expect(table.count <= 32)
        }
        for (number, object) in retained.enumerated() {
            #expect(table.value(of: object, forKey: number) == number)
        }
    }

    @Test("Values dropped by a sweep are released outside the lock")
    func release() {
        final class TableUser: Sendable {
            let table: WeakTable<Int, Object, TableUser?>

            init(_ table: WeakTable<Int, Object, TableUser?>) { self.table = table }

            // Would deadlock under the lock.
            deinit { _ = table.count }
        }
        let table = WeakTable<Int, Object, TableUser?>(leastEntries: 2)
        for number in 0..<100 { table.update(Object(), forKey: number) { _ in TableUser(table) } }
        #expect(table.count <= 4)
    }
}
