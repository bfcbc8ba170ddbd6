import Foundation

/// The ICC profile of a JPEG file, in 1 to 255 APP2 segments (ICC.1:2022, annex B.4).
///
/// The segments may come in any order. If one is missing or duplicated, or if their counts differ, the
/// profile is ignored.
struct JPEGProfile {
    private var pieces: [Int: ByteReader] = [:]
    private var count: Int?
    private var isCorrupt = false

    private static let headBytes = 14

    mutating func take(segment: ByteReader) {
        guard segment.has("ICC_PROFILE\0", at: 0) else { return }
        guard let number = segment.uint8(at: 12), let count = segment.uint8(at: 13),
            let piece = segment.slice(at: Self.headBytes, count: segment.count - Self.headBytes),
            (1...255).contains(count), (1...count).contains(number), self.count ?? count == count,
            pieces.updateValue(piece, forKey: number) == nil
        else { return isCorrupt = true }
        self.count = count
    }

    /// The profile; nil if it is incomplete, or above the limit of metadata.
    var joined: Data? {
        guard !isCorrupt, let count, pieces.count == count, let limits = pieces[1]?.limits else { return nil }
        let bytes = pieces.values.reduce(0) { $0 + $1.count }
        guard bytes <= limits.maximumMetadataBytes else { return nil }
        return (1...count).reduce(into: Data(capacity: bytes)) { whole, number in
            if let piece = pieces[number] { whole.append(contentsOf: piece.bytes) }
        }
    }

    func colors(of samples: ICCSamples) -> ICCTransform? {
        guard !isCorrupt, let count, pieces.count == count else { return nil }
        if count == 1 { return pieces[1].flatMap { ICCTransform.toSRGB(from: $0, of: samples) } }
        return joined?.withUnsafeBytes { ICCTransform.toSRGB(from: ByteReader($0), of: samples) }
    }
}
