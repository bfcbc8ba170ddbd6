/// The x and y of red, green, blue and white.
struct Chromaticities {
    static let d65 = (0.3127, 0.3290)
    /// X, Y, Z of the white of ICC profiles (ICC.1:2022, 7.2.16).
    static let d50 = [0.9642, 1, 0.8249]

    private let primaries: [(Double, Double)]
    private let white: (Double, Double)

    init(
        _ redX: Double, _ redY: Double, _ greenX: Double, _ greenY: Double, _ blueX: Double,
        _ blueY: Double, _ white: (Double, Double)
    ) {
        primaries = [(redX, redY), (greenX, greenY), (blueX, blueY)]
        self.white = white
    }

    /// X, Y, Z of each primary, adapted to D50 by Bradford's method (ICC.1:2022, annex E); nil if they are
    /// collinear.
    var columnsForD50: [[Double]]? {
        func xyz(_ point: (Double, Double)) -> [Double] {
            [point.0 / point.1, 1, (1 - point.0 - point.1) / point.1]
        }
        let columns = primaries.map(xyz)
        let matrix = Matrix3(rows: (0..<3).map { row in columns.map { $0[row] } })
        guard let scales = matrix.inverse?.applied(to: xyz(white)) else { return nil }
        let bradford = Matrix3(rows: [
            [0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296],
        ])
        guard let back = bradford.inverse else { return nil }
        let (from, to) = (bradford.applied(to: xyz(white)), bradford.applied(to: Self.d50))
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

    /// By cofactors; nil for a singular matrix.
    var inverse: Matrix3? {
        func cofactor(_ row: Int, _ column: Int) -> Double {
            let (r1, r2) = ((row + 1) % 3, (row + 2) % 3)
            let (c1, c2) = ((column + 1) % 3, (column + 2) % 3)
            return rows[r1][c1] * rows[r2][c2] - rows[r1][c2] * rows[r2][c1]
        }
        let determinant = (0..<3).reduce(0) { $0 + rows[0][$1] * cofactor(0, $1) }
        guard abs(determinant) > 1e-12 else { return nil }
        return Matrix3(rows: (0..<3).map { row in (0..<3).map { cofactor($0, row) / determinant } })
    }
}
