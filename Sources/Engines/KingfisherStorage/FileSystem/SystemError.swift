import Foundation
import Glibc

package enum SystemCall: String, Sendable, CaseIterable {
    case open, status, read, map, write, close, rename, unlink, makeDirectory, list
    case getAttribute, setAttribute, setTimes, setMode, sync, lock, link, truncate, watch
}

package struct SystemError: Error, Equatable {
    package let call: SystemCall
    package let code: CInt
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
