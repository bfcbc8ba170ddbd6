import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// The interval between previews, with a manual timer.
@Suite(.serialized) @MainActor struct ScanIntervalTests {
    private let rig: PreviewRig
    private let timer = ManualTimer()
    private let shown = Inbox<Image>()
    private let session: SessionDataTask

    init() throws {
        rig = try PreviewRig()
        session = .idle(try Bench())
    }

    private func previews(
        every interval: TimeInterval, isFastestScan: Bool = true,
        isWanted: @escaping @Sendable () -> Bool = { true }
    ) -> ProgressivePreviews {
        let shown = shown
        let previews = ProgressivePreviews(
            ImageProgressive(isBlur: false, isFastestScan: isFastestScan, scanInterval: interval),
            options: KingfisherParsedOptionsInfo(nil), timer: timer,
            isWanted: isWanted,
            display: { image in
                shown.put(image)
                return nil
            })
        let token = session.add(
            SessionDataTask.Callback(
                options: KingfisherParsedOptionsInfo(nil), progress: nil, observer: previews
            ) { _ in })
        #expect(token != nil)
        return previews
    }

    private func receive(_ first: Int, to scan: Int) async {
        _ = rig.file.piece(after: first, upTo: scan).withUnsafeBytes { session.didReceive($0) }
        await rig.settle()
    }

    private func expectShown(_ scans: [Int], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let expected = try scans.map { try TestImages.image(rig.file.cut(behind: $0)) }
        #expect(shown.count == scans.count, sourceLocation: sourceLocation)
        for (one, other) in zip(shown.values, expected) {
            #expect(samePixels(one, other), sourceLocation: sourceLocation)
        }
    }

    @Test("A preview is shown for the scan interval") func interval() async throws {
        let previews = previews(every: 2)
        await receive(0, to: 1)
        await receive(1, to: 2)
        await receive(2, to: 3)
        try expectShown([1])
        timer.advance(by: 1.9)
        await rig.settle()
        try expectShown([1])
        timer.advance(by: 0.2)
        await rig.settle()
        try expectShown([1, 3])
        timer.advance(by: 5)
        await rig.settle()
        try expectShown([1, 3])
        await receive(3, to: 4)
        try expectShown([1, 3, 4])
        #expect(timer.waits == [2, 2, 2])
        withExtendedLifetime(previews) {}
    }

    @Test("Without an interval no timer is used") func withoutInterval() async throws {
        let previews = previews(every: 0)
        for scan in 1...3 { await receive(scan - 1, to: scan) }
        try expectShown([1, 2, 3])
        #expect(timer.waits.isEmpty)
        withExtendedLifetime(previews) {}
    }

    @Test("Without the fastest-scan option every scan waits for the interval") func everyScan() async throws {
        let previews = previews(every: 1, isFastestScan: false)
        await receive(0, to: 4)
        for scan in 1...4 {
            try expectShown(Array(1...scan))
            timer.advance(by: 1)
            await rig.settle()
        }
        try expectShown([1, 2, 3, 4])
        withExtendedLifetime(previews) {}
    }

    @Test("No preview is shown after the end of the transfer") func endOfTransfer() async throws {
        let previews = previews(every: 1)
        await receive(0, to: 1)
        await receive(1, to: 2)
        #expect(session.beginDelivery(metrics: nil))
        timer.advance(by: 1)
        await rig.settle()
        try expectShown([1])
        withExtendedLifetime(previews) {}
    }

    @Test("A pending interval does not retain the previews") func pendingInterval() async throws {
        weak var weakReference: ProgressivePreviews?
        do {
            let previews = previews(every: 60)
            weakReference = previews
            await receive(0, to: 1)
            await receive(1, to: 2)
            #expect(timer.waits == [60])
            _ = self.session.fail(metrics: nil)
        }
        #expect(weakReference == nil)
    }

    @Test("Previews of an unwanted load are not made") func unwantedLoad() async throws {
        let wanted = Inbox<Void>()
        let previews = previews(every: 0) { wanted.count == 0 }
        await receive(0, to: 1)
        wanted.put()
        await receive(1, to: 4)
        try expectShown([1])
        withExtendedLifetime(previews) {}
    }
}
