/// The CIE 1931 chromaticities of red, green, blue and white.
public struct Chromaticities: Hashable, Sendable {
    /// A point of the chromaticity diagram.
    public struct Point: Hashable, Sendable {
        /// The share of X in the sum of X, Y and Z.
        public let x: Double
        /// The share of Y in the sum of X, Y and Z.
        public let y: Double

        /// A point, which need not be a colour.
        public init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }

        /// The white of daylight, D65, with the digits of ITU-R BT.709.
        public static let d65 = Point(x: 0.3127, y: 0.3290)

        /// Y is 1.
        fileprivate var xyz: [Double] { [x / y, 1, (1 - x - y) / y] }
    }

    /// The red primary.
    public let red: Point
    /// The green primary.
    public let green: Point
    /// The blue primary.
    public let blue: Point
    /// The colour of equal amounts of the primaries' maxima.
    public let white: Point

    /// Chromaticities from an untrusted file; they need not make sense.
    public init(red: Point, green: Point, blue: Point, white: Point) {
        self.red = red
        self.green = green
        self.blue = blue
        self.white = white
    }

    /// The primaries of sRGB and of ITU-R BT.709.
    public static let sRGB = table(0.640, 0.330, 0.300, 0.600, 0.150, 0.060)

    /// The primaries of a code point of ITU-T H.273, table 2; nil for an unknown or unspecified one.
    public init?(codePoint: Int) {
        let theater = Point(x: 0.314, y: 0.351)
        let illuminantC = Point(x: 0.310, y: 0.316)
        switch codePoint {
        case 1: self = .sRGB
        case 4: self = .table(0.67, 0.33, 0.21, 0.71, 0.14, 0.08, illuminantC)
        case 5: self = .table(0.64, 0.33, 0.29, 0.60, 0.15, 0.06)
        case 6, 7: self = .table(0.630, 0.340, 0.310, 0.595, 0.155, 0.070)
        case 8: self = .table(0.681, 0.319, 0.243, 0.692, 0.145, 0.049, illuminantC)
        case 9: self = .table(0.708, 0.292, 0.170, 0.797, 0.131, 0.046)
        case 11: self = .table(0.680, 0.320, 0.265, 0.690, 0.150, 0.060, theater)
        case 12: self = .table(0.680, 0.320, 0.265, 0.690, 0.150, 0.060)
        case 22: self = .table(0.630, 0.340, 0.295, 0.605, 0.155, 0.077)
        default: return nil
        }
    }

    private static func table(
        _ redX: Double, _ redY: Double, _ greenX: Double, _ greenY: Double, _ blueX: Double, _ blueY: Double,
        _ white: Point = .d65
    ) -> Chromaticities {
        Chromaticities(
            red: Point(x: redX, y: redY), green: Point(x: greenX, y: greenY), blue: Point(x: blueX, y: blueY),
            white: white)
    }

    /// X, Y, Z of the white of ICC profiles (ICC.1:2022, 7.2.16).
    static let d50 = [0.9642, 1, 0.8249]

    /// Twice the area of the smallest triangle of primaries; the value of sRGB is 0.22.
    private static let minimumArea = 0.001

    /// X, Y, Z of each primary, adapted to D50 by Bradford's method (ICC.1:2022, annex E). Nil for primaries
    /// that are nearly collinear, and for a white outside of their triangle.
    var columnsForD50: [[Double]]? {
        guard white.x > 0, white.y > 0, white.x + white.y < 1 else { return nil }
        // Up to a factor, which the white determines.
        let columns = [red, green, blue].map { [$0.x, $0.y, 1 - $0.x - $0.y] }
        let matrix = Matrix3(rows: (0..<3).map { row in columns.map { $0[row] } })
        guard abs(matrix.determinant) >= Self.minimumArea,
            let scales = matrix.inverse?.applied(to: white.xyz), scales.allSatisfy({ $0 > 0 })
        else { return nil }
        let bradford = Matrix3(rows: [
            [0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296],
        ])
        guard let back = bradford.inverse else { return nil }
        let (from, to) = (bradford.applied(to: white.xyz), bradford.applied(to: Self.d50))
        guard from.allSatisfy({ $0 > 0 }) else { return nil }
        return zip(columns, scales).map { column, scale in
            let cone = bradford.applied(to: column.map { $0 * scale })
            return back.applied(to: (0..<3).map { cone[$0] * to[$0] / from[$0] })
        }
    }
}

private struct Matrix3 {
    let rows: [[Double]]

    func applied(to vector: [Double]) -> [Double] {
        rows.map { row in zip(row, vector).reduce(0) { $0 + $1.0 * $1.1 } }
    }

    private func cofactor(_ row: Int, _ column: Int) -> Double {
        let (r1, r2) = ((row + 1) % 3, (row + 2) % 3)
        let (c1, c2) = ((column + 1) % 3, (column + 2) % 3)
        return rows[r1][c1] * rows[r2][c2] - rows[r1][c2] * rows[r2][c1]
    }

    var determinant: Double { (0..<3).reduce(0) { $0 + rows[0][$1] * cofactor(0, $1) } }

    /// By cofactors; nil for a singular matrix.
    var inverse: Matrix3? {
        let determinant = determinant
        guard determinant != 0 else { return nil }
        return Matrix3(rows: (0..<3).map { row in (0..<3).map { cofactor($0, row) / determinant } })
    }
}
