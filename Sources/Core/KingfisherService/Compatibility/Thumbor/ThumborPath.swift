/// The parts of a path after the signature, in this order, all but the image optional:
/// `trim`, `AxB:CxD`, `fit-in`, `WxH`, alignments, `smart`, `filters:…`, image.
struct ThumborPath {
    /// The part of the source between two corners, in pixels.
    struct Crop: Hashable {
        var left: Int
        var top: Int
        var right: Int
        var bottom: Int
    }

    /// A size; 0 is free, a minus flips.
    struct Size: Hashable {
        var width = 0
        var height = 0
        var flipsHorizontally = false
        var flipsVertically = false
    }

    /// The tolerance, 0...442, the distance of black and white.
    private(set) var trim: Int?
    private(set) var crop: Crop?
    private(set) var fitsIn = false
    private(set) var size = Size()
    private(set) var anchor = CompatibleAnchor.center
    private(set) var isSmart = false
    private(set) var filters: [ThumborFilterText] = []
    /// As in the path, not empty.
    private(set) var image: Substring

    init(_ path: Substring) throws(ServiceError) {
        image = path
        try takeCrops()
        try takeSize()
        try takeAlignment()
        (filters, image) = try ThumborFilterText.all(before: image)
        guard !image.isEmpty else { throw ServiceError(400, "The image is missing.") }
    }

    private mutating func takeCrops() throws(ServiceError) {
        try refuseWords()
        if let segment = next, segment == "trim" || segment.utf8.starts(with: "trim:".utf8) {
            trim = try Self.tolerance(segment)
            take()
        }
        try refuseWords()
        if let segment = next, let crop = try Self.crop(segment) {
            // Zeros are no crop.
            self.crop = crop == Crop(left: 0, top: 0, right: 0, bottom: 0) ? nil : crop
            take()
        }
        try refuseWords()
    }

    private mutating func takeSize() throws(ServiceError) {
        if next == "fit-in" {
            fitsIn = true
            take()
        }
        try refuseWords()
        guard let segment = next, let size = try Self.size(segment) else { return }
        self.size = size
        take()
        try refuseWords()
        if let segment = next, try Self.isPadding(segment) {
            throw .unsupported("padding \(segment)", "the filter fill adds it")
        }
    }

    private mutating func takeAlignment() throws(ServiceError) {
        if let segment = next, let x = Self.columns[segment] {
            anchor.x = x
            take()
        }
        if let segment = next, let y = Self.rows[segment] {
            anchor.y = y
            take()
        }
        if next == "smart" {
            isSmart = true
            take()
        }
    }

    /// The next segment, if an image can follow it.
    private var next: Substring? { image.divided(at: "/")?.before }

    private mutating func take() {
        if let (_, after) = image.divided(at: "/") { image = after }
    }

    private func refuseWords() throws(ServiceError) {
        guard let segment = next, let reason = Self.words[segment] else { return }
        throw .unsupported(segment, reason)
    }

    private static let columns: [Substring: Double] = ["left": 0, "center": 0.5, "right": 1]
    private static let rows: [Substring: Double] = ["top": 0, "middle": 0.5, "bottom": 1]

    private static let words: [Substring: String] = [
        "meta": "information about an image has another URL here",
        "debug": "there are no detections",
        "full-fit-in": "an image fits inside a size, or covers it",
        "adaptive-fit-in": "a size does not depend on the orientation",
        "adaptive-full-fit-in": "a size does not depend on the orientation",
        "stretch": "the aspect ratio is kept",
    ]
}
