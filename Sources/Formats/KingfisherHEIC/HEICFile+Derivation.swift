import KingfisherCodecSupport
import KingfisherISOBoxes

extension HEICFile {
    /// An image and the images that it is derived from by transformations alone (`iden`: ISO/IEC 23008-12,
    /// 6.6.2.1); the last has pixels. Transformations apply from the last to the first.
    func derivation(of item: Int) throws(ImageCodecError) -> [Int] {
        var items = [item]
        while let last = items.last, has("iden", last) {
            let inputs = inputs(of: last)
            guard inputs.count == 1, items.count < Self.maximumDepth else {
                throw .corrupt("malformed derivation")
            }
            items += inputs
        }
        return items
    }

    /// The images that each image is derived from, with the alpha of those that an overlay blends.
    private var parts: [Int: [Int]] {
        references.filter { $0.box.has("dimg") }.reduce(into: [:]) { parts, reference in
            let blended = has("iovl", reference.from) ? reference.to.compactMap(alpha(of:)) : []
            parts[reference.from, default: []] += reference.to + blended
        }
    }

    /// The images that `item` is derived from, directly or not.
    func parts(of item: Int) -> Set<Int> {
        let parts = parts
        var (seen, rest) = (Set([item]), parts[item] ?? [])
        while let next = rest.popLast() {
            if seen.insert(next).inserted { rest += parts[next] ?? [] }
        }
        return seen.subtracting([item])
    }

    /// Whether the coded images that `image` is made of have the declared size, as far as their parameter
    /// sets say so. Thumbnails of Sony cameras do not have it: their frames are padded.
    func declaresFrames(of image: HEICImage) -> Bool {
        parts(of: image.source.id).union([image.source.id]).allSatisfy { item in
            let sets = property("hvcC", of: item).flatMap(HEICParameterSets.init)
            return sets?.sequence.map { $0.frameSize == size(of: item) } ?? true
        }
    }

    /// Throws for images that cannot be decoded: those in other codings than HEVC, those that are derived
    /// from themselves, which libheif 1.15 follows until the stack ends, and those with more coded images, or
    /// pixels in them, than any writer makes.
    func checkDerivation(of image: HEICImage) throws(ImageCodecError) {
        let parts = parts
        var (known, total): ([Int: Work], Work) = ([:], Work(images: 0))
        for item in [image.source.id] + (image.alpha.map { [$0.source.id] } ?? []) {
            guard let work = work(for: item, parts, 0, &known) else {
                throw .corrupt("images derived from themselves")
            }
            total.add(work)
        }
        for item in known.keys { try checkCoding(of: item) }
        guard total.images <= Self.maximumCodedImages else {
            throw .unsupported("\(total.images) images in one")
        }
        // A grid counts as a whole, and by its cells.
        guard total.pixels / 4 <= limits.maximumPixels else {
            throw .unsupported("\(total.pixels) pixels in the parts of an image")
        }
    }

    private func checkCoding(of item: Int) throws(ImageCodecError) {
        guard entries[item] != nil else { throw .corrupt("an image is missing") }
        if has("hvc1", item) || has("hev1", item) || has("grid", item) || has("iovl", item) { return }
        throw Self.unsupported { has($0, item) }
    }

    /// The error for another coding than HEVC.
    static func unsupported(_ isType: (StaticString) -> Bool) -> ImageCodecError {
        let names: [(StaticString, String)] = [
            ("av01", "AV1"), ("jpeg", "JPEG"), ("avc1", "H.264"), ("vvc1", "H.266"), ("j2k1", "JPEG 2000"),
            ("unci", "an uncompressed image"), ("iden", "a transformed image as part of another"),
        ]
        let name = names.first { isType($0.0) }?.1
        return .unsupported("\(name ?? "an image of an unknown type") in HEIF")
    }

    private static var maximumCodedImages: Int { 16_384 }
    private static var maximumDepth: Int { 6 }

    /// What is decoded for an image; saturated.
    private struct Work {
        var images = 1
        var pixels = 0

        mutating func add(_ other: Work) {
            images = min(images + other.images, 1 << 32)
            pixels = min(pixels + other.pixels, 1 << 60)
        }
    }

    /// Nil in a circle.
    private func work(
        for item: Int, _ parts: [Int: [Int]], _ depth: Int, _ known: inout [Int: Work]
    ) -> Work? {
        if let known = known[item] { return known }
        guard depth < Self.maximumDepth else { return nil }
        var total = Work(pixels: min(size(of: item)?.area ?? 0, 1 << 60))
        for part in parts[item] ?? [] {
            guard let work = work(for: part, parts, depth + 1, &known) else { return nil }
            total.add(work)
        }
        known[item] = total
        return total
    }
}
