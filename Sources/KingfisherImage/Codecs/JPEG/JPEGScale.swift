/// The fraction n/8 at which libjpeg can decode without ever making the full-size pixels.
struct JPEGScale: Hashable {
    let eighths: Int

    /// libjpeg has all of 1...8, but vector code for these only: 12 megapixels take 16, 19, 20 and 28 ms, and
    /// 24, 36, 42 and 54 ms at 3, 5, 6 and 7 eighths, which saves the following filter less than that.
    static let fast = [1, 2, 4, 8]

    /// The scale for an image that a filter shrinks to `target`: at least twice that leaves it
    /// enough to work with.
    ///
    /// For a progressive image an eighth is enough from one and a half on: only its DC scans need to be
    /// read, in a tenth of the time. Decision 037 has the figures.
    init(shrinking size: PixelSize, to target: PixelSize, isProgressive: Bool) {
        let coarse = JPEGScale(eighths: 1).applied(to: size)
        if isProgressive, coarse.width * 2 >= target.width * 3, coarse.height * 2 >= target.height * 3 {
            self.init(eighths: 1)
        } else {
            self.init(atLeast: PixelSize(width: target.width * 2, height: target.height * 2), of: size)
        }
    }

    private init(eighths: Int) {
        self.eighths = eighths
    }

    /// The smallest fast scale at which neither side of `size` falls below `minimum`; 8/8 without a minimum.
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

    /// How many of the scaled pixels `size` fills: the last column and row may show less than a whole one.
    func extent(of size: PixelSize) -> PixelExtent {
        PixelExtent(
            width: Double(size.width * eighths) / 8, height: Double(size.height * eighths) / 8)
    }

    /// libjpeg rounds up.
    private static func scaled(_ side: Int, _ eighths: Int) -> Int {
        (side * eighths + 7) / 8
    }
}
