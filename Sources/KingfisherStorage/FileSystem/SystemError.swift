import Foundation
import Glibc

/// The system calls that the disk cache makes, as errors and fault tests name them.
package enum SystemCall: String, Sendable, CaseIterable {
    case open, status, read, map, write, close, rename, unlink, makeDirectory, list
    case getAttribute, setAttribute, setTimes, sync, lock
}

/// A failed system call: which one, on which path, and the kernel's `errno`.
///
/// Bridges to an `NSError` of the POSIX domain.
package struct SystemError: Error, Equatable {
    package let call: SystemCall
    package let code: CInt
    /// Empty where the call worked on an open file.
    package let path: String

    package init(_ call: SystemCall, code: CInt, path: String) {
        self.call = call
        self.code = code
        self.path = path
    }
}

extension SystemError: CustomNSError, LocalizedError {
    package static var errorDomain: String { NSPOSIXErrorDomain }

    package var errorCode: Int { Int(code) }

    package var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }

    package var errorDescription: String? { message }

    private var message: String {
        "\(call.rawValue)\(path.isEmpty ? "" : " \(path)"): \(String(cString: strerror(code)))"
    }
}
