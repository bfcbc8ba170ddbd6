import Foundation
import Glibc
import Synchronization

@testable import KingfisherStorage

/// Records the system calls of an engine and fails those that a test names.
final class FaultPlan: Sendable {
    struct Call: Sendable {
        let name: SystemCall
        let path: String
        let thread: UInt
    }

    private struct State {
        var calls: [Call] = []
        var fault: (@Sendable (SystemCall, String) -> CInt)?
    }

    private let state = Mutex(State())

    var fileSystem: FileSystem {
        FileSystem { call, path in
            let fault = self.state.withLock { state in
                state.calls.append(Call(name: call, path: path, thread: UInt(pthread_self())))
                return state.fault
            }
            return fault?(call, path) ?? 0
        }
    }

    /// Returns the recorded calls and clears the record.
    func takeCalls() -> [Call] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }

    func fail(_ fault: @escaping @Sendable (SystemCall, String) -> CInt) {
        state.withLock { $0.fault = fault }
    }

    /// Fails every call of a kind with an error number.
    func fail(_ call: SystemCall, with code: CInt) {
        fail { made, _ in made == call ? code : 0 }
    }

    func stopFailing() {
        state.withLock { $0.fault = nil }
    }
}
