import Dispatch
import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import Kingfisher

/// I-14.
@Suite struct AnimatorTests {
    private let queue = DispatchQueue(label: "animator tests")
    private let source = StubFrames(Array(repeating: 0.1, count: 8))
    private let animator: AnimatedImageView.Animator

    init() throws {
        animator = AnimatedImageView.Animator(
            try source.image(), source: source, framePreloadCount: 5, queue: queue,
            budget: FrameBudget(limit: 64 << 20))
    }

    private var present: [Int] { (0..<8).filter { animator.frame(at: $0) != nil } }

    @Test("Frames are prepared on the queue", .behaviours("I-14"))
    func preparesFramesOnTheQueue() {
        queue.suspend()
        animator.prepareFramesAsynchronously()
        #expect(present.isEmpty)
        queue.resume()
        queue.sync {}
        #expect(present == [0, 1, 2, 3, 4, 5])
        #expect(present.allSatisfy { animator.frame(at: $0)?.number == $0 })
        #expect(source.log.decoded.values.allSatisfy { $0 == 1 })
    }

    @Test(
        "A purge runs on the queue, and retains the current frame on request", .behaviours("I-14"),
        arguments: [(true, [0]), (false, [])])
    func purgesOnTheQueue(keepCurrent: Bool, left: [Int]) {
        animator.prepareFramesAsynchronously()
        queue.sync {}
        queue.suspend()
        animator.purgeFrames(keepCurrentFrame: keepCurrent)
        #expect(present.count == 6)
        queue.resume()
        queue.sync {}
        #expect(present == left)
    }

    @Test("A purge retains the current frame") func purgeWithCurrentFrame() {
        animator.prepareFramesAsynchronously()
        queue.sync {}
        _ = animator.take(3)
        animator.purgeFrames()
        queue.sync {}
        #expect(present == [3] && animator.currentFrameIndex == 3)
        #expect(animator.currentFrameImage?.number == 3)
        animator.prepareFramesAsynchronously()
        queue.sync {}
        #expect(present == [0, 3, 4, 5, 6, 7])
    }

    /// Simulates many views on several threads with very little memory.
    @Test("After concurrent use the budget is balanced") func concurrentUse() async throws {
        let budget = FrameBudget(limit: 4 << 10)
        let images = try (0..<3).map { _ in
            let source = StubFrames(Array(repeating: 0.1, count: 12))
            return (image: try source.image(), source: source)
        }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    let queue = DispatchQueue(label: "task \(task)")
                    for round in 0..<20 {
                        let (image, source) = images[(task + round) % 3]
                        let animator = AnimatedImageView.Animator(
                            image, source: source, framePreloadCount: round % 12, queue: queue, budget: budget
                        )
                        for step in 0..<30 {
                            if case .ready(let frame) = animator.take(step % 12) {
                                #expect(frame.number == step % 12)
                            }
                            if step % 9 == 0 { animator.purgeFrames(keepCurrentFrame: round % 2 == 0) }
                            if step % 7 == 0 { animator.setActive(step % 2 == 0) }
                            if step % 11 == 0 { budget.limit = (step + round) << 8 }
                            animator.prepare()
                            await Task.yield()
                        }
                        animator.prepareFramesAsynchronously()
                        await animator.drain()
                        // Another task may be decoding the frame.
                        #expect(await poll { animator.frame(at: animator.currentFrameIndex) != nil })
                    }
                }
            }
        }
        #expect(await poll { @Sendable in budget.used == 0 })
    }

    @Test("An animator reports its frames, durations and position") func properties() {
        #expect(animator.maxFrameCount == 5 && animator.currentFrameIndex == 0 && !animator.isLastFrame)
        #expect(animator.currentFrameImage == nil && animator.currentFrameDuration == 0.1)
        #expect(animator.duration(at: 7) == 0.1 && animator.duration(at: 8) == .infinity)
        #expect(animator.frame(at: -1) == nil && animator.frame(at: 8) == nil)
        animator.prepareFramesAsynchronously()
        queue.sync {}
        _ = animator.take(5)
        animator.prepareFramesAsynchronously()
        queue.sync {}
        _ = animator.take(7)
        #expect(animator.isLastFrame)
    }
}
