import Foundation
import KingfisherStorage
import Synchronization

/// A strong HTTP entity tag with its quotation marks, made of length and checksum when it is first asked for.
/// Equal bytes have equal tags, on all machines.
final class EntityTag: Sendable {
    private let text = Mutex<String?>(nil)

    /// The tag of `data`, which must be the same for each call.
    func text(of data: Data) -> String {
        text.withLock { text in
            let tag = text ?? Self.text(checksum: Checksum.of(data), byteCount: data.count)
            text = tag
            return tag
        }
    }

    static func text(checksum: UInt64, byteCount: Int) -> String {
        "\"\(String(checksum, radix: 16))-\(String(byteCount, radix: 16))\""
    }
}
