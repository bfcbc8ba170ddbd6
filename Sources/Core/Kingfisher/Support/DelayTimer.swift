import Dispatch
package import Foundation

/// Runs closures after a delay. A protocol, so that tests can control time.
package protocol DelayTimer: Sendable {
    /// Runs `block` once, `seconds` from now, on any thread.
    func after(_ seconds: TimeInterval, _ block: @escaping @Sendable () -> Void)
}

package struct DispatchDelayTimer: DelayTimer {
    package init() {}

    package func after(_ seconds: TimeInterval, _ block: @escaping @Sendable () -> Void) {
        // At most a century, because dispatch counts nanoseconds in 64 bits.
        DispatchQueue.global().asyncAfter(deadline: .now() + min(seconds, 3e9), execute: block)
    }
}
