/// The fraction n/8 of the full size at which libjpeg decodes directly.
struct JPEGScale: Hashable {
    let eighths: Int

    /// libjpeg supports 1...8, but has vector code only for these: 12 megapixels take 16, 19, 20 and 28 ms.
    /// 3, 5, 6 and 7 eighths take 24, 36, 42 and 54 ms, which costs more than it saves the following filter.
    static let fast = [1, 2, 4, 8]

    /// The scale for an image that a filter then shrinks to `target`: at least twice the target.
    ///
    /// For a progressive image, one eighth is enough if it is at least 1.5 times the target: only its DC
    /// scans need to be read, in a tenth of the time (decision 037).
    init(shrinking size: PixelSize, to target: PixelSize, isProgressive: Bool) {
        let coarse = JPEGScale(eighths: 1).applied(to: size)
        if isProgressive, coarse.width * 2 >= target.width * 3, coarse.height * 2 >= target.height * 3 {
            self.init(eighths: 1)
        } else {
            self.init(atLeast: PixelSize(width: target.width * 2, height: target.height * 2), of: size)
        }
    }

    init(eighths: Int) {
        self.eighths = eighths
    }

    init(atLeast minimum: PixelSize?, of size: PixelSize) {
        let fitting = minimum.flatMap { minimum in
            Self.fast.first {
                Self.scaled(size.width, $0) >= minimum.width && Self.scaled(size.height, $0) >= minimum.height
            }
        }
        eighths = fitting ?? 8
    }

    func applied(to size: PixelSize) -> PixelSize {
        PixelSize(width: Self.scaled(size.width, eighths), height: Self.scaled(size.height, eighths))
    }

    func extent(of size: PixelSize) -> PixelExtent {
        PixelExtent(
            width: Double(size.width * eighths) / 8, height: Double(size.height * eighths) / 8)
    }

    private static func scaled(_ side: Int, _ eighths: Int) -> Int {
        (side * eighths + 7) / 8
    }
}
