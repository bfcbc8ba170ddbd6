extension ThumborPath {
    /// The tolerance of `trim[:top-left][:N]`, 0 by default.
    static func tolerance(_ segment: Substring) throws(ServiceError) -> Int {
        var arguments = segment.pieces(separatedBy: ":").dropFirst()
        if let corner = arguments.first, corner == "top-left" || corner == "bottom-right" {
            guard corner == "top-left" else {
                throw .unsupported("trim:bottom-right", "the colour is that at the top left")
            }
            arguments.removeFirst()
        }
        guard let last = arguments.last else { return 0 }
        guard arguments.count == 1, let tolerance = PlainNumber.whole(last), tolerance <= 442 else {
            throw .invalid("trim", expected: "trim:N or trim:top-left:N with N from 0 to 442")
        }
        return tolerance
    }

    /// The corners of `AxB:CxD`; nil if the segment is something else.
    static func crop(_ segment: Substring) throws(ServiceError) -> Crop? {
        let corners = segment.pieces(separatedBy: ":").map { $0.pieces(separatedBy: "x") }
        guard corners.count == 2, corners.allSatisfy({ $0.count == 2 }) else { return nil }
        let numbers = corners.joined().map { PlainNumber.whole($0) }
        guard case .some(let left) = numbers[0], case .some(let top) = numbers[1],
            case .some(let right) = numbers[2], case .some(let bottom) = numbers[3]
        else {
            let isRelative = segment.utf8.allSatisfy { "0123456789.x:%p".utf8.contains($0) }
            guard isRelative else { return nil }
            throw .unsupported("A relative crop", "the corners are whole numbers of pixels")
        }
        let crop = Crop(left: left, top: top, right: right, bottom: bottom)
        guard (left < right && top < bottom) || crop == Crop(left: 0, top: 0, right: 0, bottom: 0) else {
            throw .invalid("crop", expected: "LEFTxTOP:RIGHTxBOTTOM with a width and a height")
        }
        return crop
    }

    /// The sides of `[-]Wx[-]H`; nil if the segment is something else.
    static func size(_ segment: Substring) throws(ServiceError) -> Size? {
        let sides = segment.pieces(separatedBy: "x")
        guard sides.count == 2 else { return nil }
        var size = Size()
        size.flipsHorizontally = sides[0].utf8.first == UInt8(ascii: "-")
        size.flipsVertically = sides[1].utf8.first == UInt8(ascii: "-")
        let digits = [
            Substring(sides[0].utf8.dropFirst(size.flipsHorizontally ? 1 : 0)),
            Substring(sides[1].utf8.dropFirst(size.flipsVertically ? 1 : 0)),
        ]
        var isOriginal = false
        var pixels: [Int] = []
        for text in digits {
            isOriginal = isOriginal || text == "orig"
            guard let side = text.isEmpty || text == "orig" ? 0 : PlainNumber.whole(text) else { return nil }
            pixels.append(side)
        }
        guard !isOriginal else { throw .unsupported("orig", "a side has a number of pixels, or is 0") }
        (size.width, size.height) = (pixels[0], pixels[1])
        return size
    }

    /// Whether a segment after the size is imagor's padding, `LxT` or `LxT:RxB`.
    static func isPadding(_ segment: Substring) throws(ServiceError) -> Bool {
        let sides = segment.pieces(separatedBy: ":").flatMap { $0.pieces(separatedBy: "x") }
        return (sides.count == 2 || sides.count == 4) && sides.allSatisfy { PlainNumber.whole($0) != nil }
            && segment.utf8.contains(UInt8(ascii: "x"))
    }
}
