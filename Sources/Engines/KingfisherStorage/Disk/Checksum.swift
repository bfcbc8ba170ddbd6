import CXXHash
package import Foundation
import Glibc

/// XXH3-64 by libxxhash. Detects corruption; does not resist forgery.
package enum Checksum {
    package static func of(_ data: Data) -> UInt64 {
        data.withUnsafeBytes { of($0) }
    }

    static func of(_ string: String) -> UInt64 {
        var string = string
        return string.withUTF8 { of(UnsafeRawBufferPointer($0)) }
    }

    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        kf_xxh3_64(bytes.baseAddress, bytes.count)
    }
}

// Unchecked: the state has one owner, because the value cannot be copied.
struct RunningChecksum: ~Copyable, @unchecked Sendable {
    private let state: OpaquePointer

    init() throws(SystemError) {
        guard let state = XXH3_createState() else { throw SystemError(.read, code: ENOMEM, path: "") }
        XXH3_64bits_reset(state)
        self.state = state
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        XXH3_64bits_update(state, bytes.baseAddress, bytes.count)
    }

    var value: UInt64 { XXH3_64bits_digest(state) }

    deinit { XXH3_freeState(state) }
}
