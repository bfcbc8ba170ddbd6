import Foundation

/// Decides which scan of a progressive JPEG is shown next.
///
/// A pure value. One image is on its way at a time, from being made until it was shown and has had its
/// time.
struct PreviewPlan: Sendable {
    /// What the images of one file may cost together, in pixels times scans; decision 028.
    static let maximumWork = 2_500_000_000

    private let isFastest: Bool
    private let interval: TimeInterval
    private var isBusy = false
    private var made = 0
    private var workLeft = PreviewPlan.maximumWork

    init(_ progressive: ImageProgressive) {
        isFastest = progressive.isFastestScan
        interval = progressive.scanInterval
    }

    /// How many scans to make an image of, now that `complete` of an image of `area` pixels are there; nil
    /// for none at this moment. Whoever got a number reports `didShow`.
    mutating func next(complete: Int, area: Int) -> Int? {
        guard !isBusy, complete > made else { return nil }
        let scans = isFastest ? complete : made + 1
        // Every scan visits every block, so an image costs its area for each.
        let (work, overflows) = area.multipliedReportingOverflow(by: scans)
        guard !overflows, work <= workLeft else { return nil }
        workLeft -= work
        made = scans
        isBusy = true
        return scans
    }

    /// The image was shown. Returns the seconds for which it is to stay, after which to report `didRest`;
    /// nil when the next one may come at once.
    mutating func didShow() -> TimeInterval? {
        guard interval > 0 else {
            isBusy = false
            return nil
        }
        return interval
    }

    mutating func didRest() { isBusy = false }

    /// How much an image of so many scans is blurred, as a radius in pixels; nil for not at all.
    static func blurRadius(scans: Int) -> Double? {
        scans < 6 ? Double(max(2, 14 - 4 * scans)) : nil
    }
}
