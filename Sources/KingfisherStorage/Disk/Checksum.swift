import CXXHash
package import Foundation

/// XXH3-64 by libxxhash: finds damage, does not resist forgery.
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
