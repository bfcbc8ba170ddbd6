import CoreMetrics
import Synchronization

/// The values of a series at a time.
enum MetricValue: Hashable {
    case number(Double)
    /// The count of each bucket with all buckets before it; the last one, for +Inf, is the number of values.
    case histogram(counts: [Int64], sum: Double)
    case summary(count: Int64, sum: Double)
}

/// A series: values that threads change without a lock.
protocol MetricSeries: AnyObject, Sendable {
    init()
    var value: MetricValue { get }
}

/// A sum that stays at its maximum instead of overflowing.
private func add(_ amount: Int64, to sum: borrowing Atomic<Int64>) {
    let (before, after) = sum.wrappingAdd(amount, ordering: .relaxed)
    if after < before { sum.store(.max, ordering: .relaxed) }
}

private func add(_ amount: Double, to sum: borrowing Atomic<UInt64>) {
    var known = sum.load(ordering: .relaxed)
    while true {
        let (isDone, current) = sum.weakCompareExchange(
            expected: known, desired: (Double(bitPattern: known) + amount).bitPattern, ordering: .relaxed)
        if isDone { return }
        known = current
    }
}

/// A counter. Negative amounts are ignored.
final class CounterSeries: MetricSeries, CounterHandler, FloatingPointCounterHandler {
    private let whole = Atomic<Int64>(0)
    /// The bits of the sum of the other amounts.
    private let fraction = Atomic<UInt64>(0)

    func increment(by amount: Int64) {
        if amount > 0 { add(amount, to: whole) }
    }

    func increment(by amount: Double) {
        if amount > 0, amount.isFinite { add(amount, to: fraction) }
    }

    func reset() {
        whole.store(0, ordering: .relaxed)
        fraction.store(0, ordering: .relaxed)
    }

    var value: MetricValue {
        let sum = Double(whole.load(ordering: .relaxed))
        return .number(sum + Double(bitPattern: fraction.load(ordering: .relaxed)))
    }
}

/// A gauge: the last value that was set.
final class GaugeSeries: MetricSeries, RecorderHandler, MeterHandler {
    private let bits = Atomic<UInt64>(0)

    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
    func set(_ value: Int64) { record(Double(value)) }
    func set(_ value: Double) { record(value) }
    func increment(by amount: Double) { add(amount, to: bits) }
    func decrement(by amount: Double) { add(-amount, to: bits) }

    var level: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }
    var value: MetricValue { .number(level) }
}

/// The number and the sum of values: a recorder that aggregates.
final class SummarySeries: MetricSeries, RecorderHandler {
    private let count = Atomic<Int64>(0)
    private let sum = Atomic<UInt64>(0)

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        guard value.isFinite else { return }
        add(1, to: count)
        add(value, to: sum)
    }

    var value: MetricValue {
        .summary(
            count: count.load(ordering: .relaxed), sum: Double(bitPattern: sum.load(ordering: .relaxed)))
    }
}

/// A histogram of durations.
final class HistogramSeries: MetricSeries, TimerHandler {
    /// The upper bounds of all buckets but the last one, in seconds.
    static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

    /// The number of durations in each bucket.
    private let counts = InlineArray<15, Atomic<Int64>> { _ in Atomic(0) }
    private let nanoseconds = Atomic<Int64>(0)

    /// Negative durations count as 0.
    func recordNanoseconds(_ duration: Int64) {
        let duration = max(0, duration)
        add(1, to: counts[Self.bucket(of: duration)])
        add(duration, to: nanoseconds)
    }

    /// A search without memory access: this runs for each request.
    private static func bucket(of nanoseconds: Int64) -> Int {
        switch nanoseconds {
        case ...1_000_000: 0
        case ...2_500_000: 1
        case ...5_000_000: 2
        case ...10_000_000: 3
        case ...25_000_000: 4
        case ...50_000_000: 5
        case ...100_000_000: 6
        case ...250_000_000: 7
        case ...500_000_000: 8
        case ...1_000_000_000: 9
        case ...2_500_000_000: 10
        case ...5_000_000_000: 11
        case ...10_000_000_000: 12
        case ...30_000_000_000: 13
        default: 14
        }
    }

    var value: MetricValue {
        var sums: [Int64] = []
        for index in counts.indices {
            sums.append((sums.last ?? 0) + counts[index].load(ordering: .relaxed))
        }
        return .histogram(counts: sums, sum: Double(nanoseconds.load(ordering: .relaxed)) / 1e9)
    }
}

/// Facts that are in the labels.
final class InfoSeries: MetricSeries {
    var value: MetricValue { .number(1) }
}
