import Foundation
import KingfisherStorage
import KingfisherTransport

/// What is to be written under a key, and how.
struct WriteRequest: Sendable {
    enum Content: Sendable {
        case image(KFCrossPlatformImage, original: Data?, serializer: ValueIdentity)
        case bytes(Data)
    }

    let content: Content
    let forcedExtension: String?
    let expiration: StorageExpiration?
    let options: Data.WritingOptions
    /// What travels with the bytes.
    var freshness: HTTPFreshness?
    var tags: [String] = []
    /// Whether the bytes go to the disk; otherwise to memory alone.
    var writesFile = true

    /// Whether carrying out either is known to leave the same file. Cheap, and no code of users runs.
    func isSame(as other: WriteRequest) -> Bool {
        // One that is not to overwrite has to find out what is there.
        !options.contains(.withoutOverwriting)
            && forcedExtension.map { BytewiseString($0) } == other.forcedExtension.map { BytewiseString($0) }
            && options == other.options
            && freshness == other.freshness && tags == other.tags && writesFile == other.writesFile
            && Lifetime(expiration) == Lifetime(other.expiration) && hasSameContent(as: other)
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
    /// What is longer is compared by its buffer alone, because this runs under the lock of all keys.
    private static let mostCompared = 64

    /// Equality of copies of one value, and of few bytes.
    fileprivate func hasSameBytes(as other: Data?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        guard self.count == other.count else { return false }
        if self.count <= Self.mostCompared { return self == other }
        return self.withUnsafeBytes { bytes in
            other.withUnsafeBytes { bytes.baseAddress == $0.baseAddress }
        }
    }
}
