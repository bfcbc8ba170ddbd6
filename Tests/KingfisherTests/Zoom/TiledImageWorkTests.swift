import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Which jobs run, and what they take.
@Suite(.timeLimit(.minutes(10))) struct TiledImageWorkTests {
    private let rig: ZoomRig

    init() throws { rig = try ZoomRig() }

    @Test("Concurrent calls for the same tile share the work")
    func sharing() async throws {
        let image = try await rig.open(try TallJPEG.make(width: 1_301, rows: 44))
        _ = try await image.overview(covering: PixelSize(width: 100, height: 100))
        rig.queue.isSuspended = true
        let place = TiledImage.Tile(level: 0, column: 1, row: 1)
        let calls = (0..<10).map { _ in Task { try await image.tile(place) } }
        #expect(await poll { image.waitingCalls == 10 })
        #expect(image.jobCount == 1)
        rig.queue.isSuspended = false
        let first = try await calls[0].value
        for call in calls { #expect(try await call.value === first) }
        #expect(image.jobCount == 0)
        // Nothing is retained.
        #expect(try await image.tile(place) !== first)
    }

    @Test("First calls at the same time all get their images")
    func firstCalls() async throws {
        let file = try rig.file(try TestImages.png)
        for number in 0..<100 {
            let image = try await rig.open(file)
            await withTaskGroup(of: Bool.self) { group in
                for call in 0..<8 {
                    group.addTask {
                        if call > number % 8 { await Task.yield() }
                        let tile = try? await image.tile(TiledImage.Tile(level: 0, column: 0, row: 0))
                        return tile?.pixels?.size == image.size
                    }
                }
                for await isRight in group { #expect(isRight) }
            }
        }
    }

    @Test("A cancelled task leaves the queue, and does not cancel others")
    func cancellation() async throws {
        let image = try await rig.open(try TallJPEG.make(width: 1_301, rows: 44))
        rig.queue.isSuspended = true
        let place = TiledImage.Tile(level: 0, column: 1, row: 1)
        let cancelled = Task { try await image.tile(place) }
        let other = Task { try await image.overview(covering: PixelSize(width: 100, height: 100)) }
        #expect(await poll { image.waitingCalls == 2 })
        cancelled.cancel()
        await #expect { try await cancelled.value } throws: { error in
            if case KingfisherError.requestError(.asyncTaskContextCancelled) = error { true } else { false }
        }
        #expect(image.waitingCalls == 1)
        other.cancel()
        await #expect(throws: KingfisherError.self) { try await other.value }
        #expect(image.jobCount == 0)
        rig.queue.isSuspended = false
        // Cancelling is not final.
        _ = try await image.tile(place)
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await image.tile(place)
        }
        await #expect(throws: KingfisherError.self) { try await early.value }
    }

    @Test("Showing 96 megapixels takes little memory besides the images")
    func memory() async throws {
        await #expect(processExitsWith: .success) {
            let rig = try ZoomRig()
            let url = try rig.file(try TallJPEG.make(width: 12_000, rows: 500))
            let before = ProcessStatus.anonymousBytes
            let peak = Locked(0), isOver = Locked(false)
            let thread = Thread {
                while !isOver.withLock({ $0 }) {
                    let now = ProcessStatus.anonymousBytes
                    peak.withLock { $0 = max($0, now) }
                    usleep(2_000)
                }
            }
            thread.start()
            let image = try await rig.open(url)
            let overview = try await image.overview(covering: PixelSize(width: 1_400, height: 900))
            try #require(overview.pixels?.size == PixelSize(width: 1_500, height: 1_000))
            for row in 0..<4 {
                _ = try await image.tile(TiledImage.Tile(level: 0, column: row * 7, row: row * 4))
            }
            isOver.withLock { $0 = true }
            // The image has 384 MB.
            try #require(peak.withLock { $0 } - before < 48 << 20)
        }
    }
}
