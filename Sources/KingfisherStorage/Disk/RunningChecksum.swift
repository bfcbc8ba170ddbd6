import CXXHash
import Glibc

/// `Checksum` of bytes that come in pieces.
struct RunningChecksum: ~Copyable {
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
