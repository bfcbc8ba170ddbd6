extension Duration {
    /// Whole nanoseconds, at most 292 years.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowsToo) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflows || overflowsToo ? (seconds < 0 ? .min : .max) : sum
    }

    /// A duration of an event: 0 if it is negative or not a number, at most a day.
    static func seconds(bounded seconds: Double) -> Duration {
        seconds > 0 ? .seconds(min(seconds, 86_400)) : .zero
    }
}
