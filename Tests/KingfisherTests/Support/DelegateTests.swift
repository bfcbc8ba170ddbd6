import Foundation
import Kingfisher
import Testing
import TestHelpers

@Suite struct DelegateTests {
    private final class Target: Sendable {
        let value = 10
    }

    @Test("A call reaches the closure with the target and the input", .behaviours("U-2"))
    func call() {
        let target = Target()
        let delegate = Delegate<Int, Int>()
        #expect(!delegate.isSet)
        #expect(delegate.call(1) == nil)
        delegate.delegate(on: target) { (target, input) in target.value + input }
        #expect(delegate.isSet)
        #expect(delegate.call(1) == 11)
        #expect(delegate(2) == 12)
    }

    @Test("The target is held weakly", .behaviours("U-2"))
    func weakTarget() {
        let delegate = Delegate<Int, Int>()
        do {
            let target = Target()
            delegate.delegate(on: target) { (target, input) in target.value + input }
            #expect(delegate.call(1) == 11)
        }
        #expect(delegate.call(1) == nil)
    }

    @Test("Synchronous and asynchronous closures are stored separately", .behaviours("U-2"))
    func separateSlots() async {
        let target = Target()
        let delegate = Delegate<Int, String>()
        delegate.delegate(on: target) { (_, input) async -> String in
            await Task.yield()
            return "async \(input)"
        }
        #expect(delegate.isSet)
        #expect(delegate.call(1) == nil)
        #expect(await delegate.callAsync(1) == "async 1")
        delegate.delegate(on: target) { (_, input) -> String in "sync \(input)" }
        #expect(delegate.call(2) == "sync 2")
        #expect(await delegate.callAsync(2) == "async 2")
        withExtendedLifetime(target) {}
    }

    @Test("Optional outputs are not nested, and void input needs no argument", .behaviours("U-2"))
    func optionalOutputAndVoidInput() {
        let target = Target()
        let optional = Delegate<Void, Int?>()
        let unset: Int? = optional()
        #expect(unset == nil)
        optional.delegate(on: target) { (target, _) -> Int? in target.value }
        let value: Int? = optional()
        #expect(value == 10)
        let plain = Delegate<Void, Int>()
        plain.delegate(on: target) { (target, _) in target.value + 1 }
        #expect(plain() == 11)
        #expect(plain.call() == 11)
    }
}
