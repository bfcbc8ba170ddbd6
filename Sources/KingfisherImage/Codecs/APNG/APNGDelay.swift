/// A delay as an fcTL chunk stores it: a fraction of a second in two numbers of 16 bits.
struct APNGDelay: Equatable {
    let numerator: UInt16
    let denominator: UInt16

    /// Whole milliseconds where there are so many and no more than fit; otherwise the nearest fraction of
    /// all, found along the continued fraction. 0 for what is no time at all.
    init(seconds: Double) {
        let limit = Double(UInt16.max)
        let seconds = seconds > 0 ? min(seconds, limit) : 0
        let milliseconds = (seconds * 1000).rounded()
        if milliseconds <= limit, abs(seconds * 1000 - milliseconds) < 1e-6 {
            (numerator, denominator) = (UInt16(milliseconds), 1000)
            return
        }
        var (last, convergent) = ((0.0, 1.0), (1.0, 0.0))
        var rest = seconds
        while rest <= limit {
            let whole = rest.rounded(.down)
            let next = (whole * convergent.0 + last.0, whole * convergent.1 + last.1)
            guard next.0 <= limit, next.1 <= limit else { break }
            (last, convergent) = (convergent, next)
            rest = 1 / (rest - whole)
        }
        // Between the last convergent that fits and the first that does not there may be a nearer fraction.
        let steps = min((limit - last.0) / convergent.0, (limit - last.1) / convergent.1).rounded(.down)
        let between = (steps * convergent.0 + last.0, steps * convergent.1 + last.1)
        let isNearer = abs(between.0 / between.1 - seconds) < abs(convergent.0 / convergent.1 - seconds)
        let best = isNearer ? between : convergent
        (numerator, denominator) = (UInt16(best.0), UInt16(best.1))
    }
}
