import Foundation

/// Content that can be validated without other data: every byte follows from a key and a version.
struct Payload: Equatable {
    let key: Int
    let version: UInt64

    /// 4 to 200 KB, lognormal with a mean of 37 KB, as images in a cache are.
    var length: Int {
        // Box and Muller, 1958.
        let radius = (-2 * Foundation.log(unit(1))).squareRoot()
        let normal = radius * Foundation.cos(2 * .pi * unit(2))
        return Int(min(max(Foundation.exp(10.27 + 0.7 * normal), 4_096), 204_800))
    }

    /// Pages that all start with their own number, so that a stale page, one of another key and
    /// one in the wrong place are all detected.
    var bytes: Data {
        let seed = Self.mix(version ^ Self.mix(UInt64(key)))
        var page = (0..<UInt64(Self.pageLength / 8)).map { Self.mix(seed &+ $0) }
        var content = Data(capacity: length)
        var number: UInt64 = 0
        while content.count < length {
            page.replaceSubrange(0..<3, with: [UInt64(key), version, number])
            page.withUnsafeBytes { content.append(contentsOf: $0.prefix(length - content.count)) }
            number += 1
        }
        return content
    }

    private static let pageLength = 4_096

    /// A number in (0, 1] that is a function of this payload.
    private func unit(_ salt: UInt64) -> Double {
        let mixed = Self.mix(Self.mix(version &+ salt) ^ UInt64(key))
        return Double((mixed >> 11) + 1) / Double(1 << 53)
    }

    /// The output function of SplitMix64 (Steele et al. 2014).
    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension Payload {
    enum Verdict: Equatable {
        case whole(Payload)
        case empty
        /// Not empty, and all zeros: a power cut leaves this if only the length was written.
        case zeroed
        case torn
    }

    static func judge(_ bytes: Data) -> Verdict {
        guard !bytes.isEmpty else { return .empty }
        guard bytes.count >= pageLength else { return .torn }
        let (key, version) = bytes.withUnsafeBytes {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        guard let key = Int(exactly: key) else { return .torn }
        let payload = Payload(key: key, version: version)
        if payload.length == bytes.count, payload.bytes == bytes { return .whole(payload) }
        return bytes.allSatisfy { $0 == 0 } ? .zeroed : .torn
    }
}
