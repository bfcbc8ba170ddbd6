import Foundation

/// Decides which scan of a progressive JPEG is shown next.
///
/// A pure value. At most one preview is active at a time, until it was shown for the minimum interval.
struct PreviewPlan: Sendable {
    /// The maximum total cost of the previews of one file, in pixels times scans; decision 028.
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

    /// The number of scans for the next preview, when `complete` scans of an image of `area` pixels were
    /// received; nil for none. After a number, the caller must call `didShow`.
    mutating func next(complete: Int, area: Int) -> Int? {
        guard !isBusy, complete > made else { return nil }
        let scans = isFastest ? complete : made + 1
        // Decoding visits every block once for each scan.
        let (work, overflows) = area.multipliedReportingOverflow(by: scans)
        guard !overflows, work <= workLeft else { return nil }
        workLeft -= work
        made = scans
        isBusy = true
        return scans
    }

    /// Called when the preview is shown. Returns the seconds to wait before calling `didRest`; nil if the
    /// next preview may start immediately.
    mutating func didShow() -> TimeInterval? {
        guard interval > 0 else {
            isBusy = false
            return nil
        }
        return interval
    }

    mutating func didRest() { isBusy = false }

    /// The blur radius in pixels for a preview of this number of scans; nil for none.
    static func blurRadius(scans: Int) -> Double? {
        scans < 6 ? Double(max(2, 14 - 4 * scans)) : nil
    }
}
