import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing

/// A progressive JPEG that can be split at its scans.
struct ProgressiveFile: Sendable {
    let data: Data
    let ends: [Int]

    init(_ name: String = "Progressive/small.jpg") throws {
        try self.init(Fixtures.data(named: name))
    }

    init(_ data: Data) throws {
        var scans = JPEGScans()
        data.withUnsafeBytes { scans.take($0) }
        self.data = data
        ends = scans.ends
        try #require(ends.count == 10 && scans.isProgressive == true)
    }

    /// The bytes from which the first `scan` scans are known to be complete; the whole file for the last.
    func upTo(scan: Int) -> Data {
        scan < ends.count ? data.prefix(ends[scan - 1] + 2) : data
    }

    func piece(after first: Int, upTo last: Int) -> Data {
        Data(upTo(scan: last).dropFirst(first == 0 ? 0 : upTo(scan: first).count))
    }

    /// A complete file with the first `scan` scans.
    func cut(behind scan: Int) -> Data { data.prefix(ends[scan - 1]) + [0xFF, 0xD9] }
}
