/// A delay as stored in an fcTL chunk: a fraction of a second with 16-bit numerator and denominator.
struct APNGDelay: Equatable {
    let numerator: UInt16
    let denominator: UInt16

    /// Uses milliseconds if they are exact and fit, otherwise the nearest fraction, found by continued
    /// fraction expansion. Values that are not positive become 0.
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
        // The best fraction is the last convergent that fits, or a semiconvergent after it.
        let steps = min((limit - last.0) / convergent.0, (limit - last.1) / convergent.1).rounded(.down)
        let between = (steps * convergent.0 + last.0, steps * convergent.1 + last.1)
        let isNearer = abs(between.0 / between.1 - seconds) < abs(convergent.0 / convergent.1 - seconds)
        let best = isNearer ? between : convergent
        (numerator, denominator) = (UInt16(best.0), UInt16(best.1))
    }
}
