import Foundation

/// The width at which a client shows an image, from its client hints.
///
/// `Sec-CH-Width` (WICG, Responsive Image Client Hints) and its predecessor `Width`
/// (draft-ietf-httpbis-client-hints-07) are in physical pixels, rounded up: the client has multiplied by its
/// pixel density. So `Sec-CH-DPR` has nothing to add, and is not read.
public struct ClientHints: Hashable, Sendable {
    /// The names of the fields that are read, for `Vary`.
    public static let fields = ["Sec-CH-Width", "Width"]

    /// In physical pixels; nil if it is not known.
    public let width: Int?

    /// Reads fields by their names, with all values of each. A malformed field counts as absent: other than
    /// one number of 1 to 9 digits.
    public init(_ values: (String) -> [String]) {
        width = Self.fields.compactMap { Self.number(values($0)) }.first
    }

    private static func number(_ values: [String]) -> Int? {
        guard values.count == 1, (1...9).contains(values[0].utf8.count),
            values[0].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(values[0]), number > 0
        else { return nil }
        return number
    }
}

extension ServiceRequest {
    private static let boxes: Set<Substring> = ["fit", "cover", "resize", "downsample"]

    /// The request whose first `fit`, `cover`, `resize` or `downsample` has the width of the client, if the
    /// option `hints` allows it.
    ///
    /// The width is the smallest of `widths` that is not below the client's, which bounds the results of a
    /// URL; the height keeps its ratio to the width. A box never grows, and one with a free width stays.
    public func fitting(_ hints: @autoclosure () -> ClientHints, widths: [Int]) -> ServiceRequest {
        guard options.usesHints, let wanted = hints().width,
            let width = widths.filter({ $0 >= wanted }).min(),
            let index = steps.firstIndex(where: { Self.boxes.contains($0.text.prefix { $0 != ":" }) }),
            let box = steps[index].size, Double(width) < box.width
        else { return self }
        let text = steps[index].text
        let name = text.prefix { $0 != ":" }
        let height = box.height == 0 ? 0 : max(1, Int((box.height * Double(width) / box.width).rounded()))
        var request = self
        guard let step = try? Step("\(name):\(width)x\(height)\(text.drop { $0 != "," })") else {
            return self
        }
        request.steps[index] = step
        return request
    }
}
