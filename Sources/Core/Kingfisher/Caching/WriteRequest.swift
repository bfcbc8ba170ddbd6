import Foundation
import KingfisherStorage
import KingfisherTransport

struct WriteRequest: Sendable {
    enum Content: Sendable {
        case image(KFCrossPlatformImage, original: Data?, serializer: ValueIdentity)
        case bytes(Data)
    }

    let content: Content
    let forcedExtension: String?
    let expiration: StorageExpiration?
    let options: Data.WritingOptions
    var freshness: HTTPFreshness?
    var tags: [String] = []
    /// Whether the file is for one user and must not reach a tier.
    var isPrivate = false
    /// Whether the disk is written; otherwise only memory.
    var writesFile = true

    /// Whether both requests are known to write the same file. Runs under a lock: cheap, and calls no code of
    /// users.
    func isSame(as other: WriteRequest) -> Bool {
        // A write without overwriting depends on the existing file.
        !options.contains(.withoutOverwriting)
            && forcedExtension.map { BytewiseString($0) } == other.forcedExtension.map { BytewiseString($0) }
            && options == other.options
            && freshness == other.freshness && tags == other.tags && isPrivate == other.isPrivate
            && writesFile == other.writesFile
            && ComparableExpiration(expiration) == ComparableExpiration(other.expiration)
            && hasSameContent(as: other)
    }

    private func hasSameContent(as other: WriteRequest) -> Bool {
        switch (content, other.content) {
        case (.image(let image, let original, let serializer), .image(let other, let data, let encoder)):
            image === other && serializer == encoder && original.hasSameBytes(as: data)
        case (.bytes(let bytes), .bytes(let data)): Optional(bytes).hasSameBytes(as: data)
        default: false
        }
    }
}

extension Data? {
    /// Longer data is compared by its buffer only, because this runs under the lock of all keys.
    private static let maximumComparedBytes = 64

    fileprivate func hasSameBytes(as other: Data?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        guard self.count == other.count else { return false }
        if self.count <= Self.maximumComparedBytes { return self == other }
        return self.withUnsafeBytes { bytes in
            other.withUnsafeBytes { bytes.baseAddress == $0.baseAddress }
        }
    }
}
