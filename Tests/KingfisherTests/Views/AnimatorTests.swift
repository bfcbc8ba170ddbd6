import Dispatch
import Foundation
import KingfisherImage
import Testing

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

    @Test func preparesFramesOnTheQueue() {
        queue.suspend()
        animator.prepareFramesAsynchronously()
        #expect(present.isEmpty)
        queue.resume()
        queue.sync {}
        #expect(present == [0, 1, 2, 3, 4, 5])
        #expect(present.allSatisfy { animator.frame(at: $0)?.number == $0 })
        #expect(source.log.decoded.values.allSatisfy { $0 == 1 })
    }

    @Test(arguments: [(true, [0]), (false, [])])
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

    @Test func keepsTheCurrentFrameWhichNeedNotBeTheFirst() {
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

    @Test func facts() {
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
