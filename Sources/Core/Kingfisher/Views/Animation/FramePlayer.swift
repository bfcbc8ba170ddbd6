import Foundation
import KingfisherImage

/// Plays the frames of one image in one view. Connects timeline, clock and frames.
@MainActor final class FramePlayer {
    let image: Image
    private let frames: any FrameSupply
    private var timeline: FrameTimeline
    private(set) var shown: Image?
    private var shownIndex: Int?
    private var isStarted: Bool
    /// The time of the last update of the timeline; nil while it is paused.
    private var lastTime: TimeInterval?
    private var isSeen = false
    private var needsUpdate = false

    init(_ image: Image, frames: any FrameSupply, plays: UInt?, rate: Double, isStarted: Bool) {
        self.image = image
        self.frames = frames
        self.isStarted = isStarted
        timeline = FrameTimeline(durations: frames.durations, plays: plays)
        timeline.rate = rate
    }

    var isPlaying: Bool { isStarted && !timeline.isFinished }

    var index: Int { timeline.index }

    var frameCount: Int { timeline.durations.count }

    var duration: TimeInterval { timeline.duration }

    func position(at now: TimeInterval) -> TimeInterval {
        var timeline = timeline
        if let lastTime { timeline.stay(for: now - lastTime) }
        return timeline.position
    }

    func start() {
        if timeline.isFinished { timeline.restart() }
        isStarted = true
    }

    func stop() {
        isStarted = false
    }

    /// - Parameter mayMove: whether the frames may change with time; the current one is shown in any case.
    func update(isSeen: Bool, mayMove: Bool, at now: TimeInterval) {
        self.isSeen = isSeen
        let isRunning = isSeen && mayMove && isPlaying
        if isRunning != (lastTime != nil) {
            pass(to: now)
            lastTime = isRunning ? now : nil
            frames.setActive(isRunning)
            // The change of `setActive` has cleared the awaited frame.
            needsUpdate = needsUpdate || timeline.isHeld
        }
        // A visible image gets one frame of the right size even if it does not play.
        if isRunning || isSeen && (shown != nil || timeline.index != 0) { showCurrent() }
    }

    /// When to call `advance` next, in the view's time; nil if nothing will change, or while waiting for a
    /// frame.
    func nextChange(at now: TimeInterval) -> TimeInterval? {
        if needsUpdate, isSeen { return now }
        guard let lastTime, !timeline.isHeld, let wait = timeline.timeToNextChange, wait.isFinite else {
            return nil
        }
        return lastTime + wait
    }

    func advance(to now: TimeInterval) -> [FrameTimeline.Event] {
        needsUpdate = false
        guard let last = lastTime else {
            showCurrent()
            return []
        }
        lastTime = now
        let events = timeline.advance(by: now - last) { show($0) }
        if timeline.isFinished {
            lastTime = nil
            frames.setActive(false)
            // `setActive` has cleared the awaited frame; request the last one again, possibly in a new size.
            showCurrent()
        } else if !timeline.isHeld {
            showCurrent()
        }
        frames.prepare()
        return events
    }

    func frameDidArrive() {
        needsUpdate = true
    }

    func frameSizeDidChange() {
        shownIndex = nil
        needsUpdate = needsUpdate || timeline.isHeld
    }

    func forgetShown() {
        (shown, shownIndex) = (nil, nil)
    }

    private func showCurrent() {
        guard shownIndex != timeline.index else { return timeline.currentIsReady() }
        if show(timeline.index) { timeline.currentIsReady() }
        frames.prepare()
    }

    /// Shows the frame at `index`. Returns whether the timeline may move to it.
    private func show(_ index: Int) -> Bool {
        switch frames.take(index) {
        case .pending: return false
        case .missing: break
        case .ready(let image): shown = image
        }
        shownIndex = index
        return true
    }
}

extension FramePlayer {
    func seek(toFrame index: Int, at now: TimeInterval) {
        seek(at: now) { $0.seek(toFrame: index) }
    }

    func seek(to time: TimeInterval, at now: TimeInterval) {
        seek(at: now) { $0.seek(to: time) }
    }

    /// Shows the first frame immediately, instead of an animation that would play.
    func rewind(at now: TimeInterval) {
        guard isPlaying, timeline.index != 0 else { return }
        // The image is its first frame, so nothing has to be decoded for it.
        forgetShown()
        seek(toFrame: 0, at: now)
    }

    func setRate(_ rate: Double, at now: TimeInterval) {
        pass(to: now)
        timeline.rate = rate
        needsUpdate = needsUpdate || timeline.isHeld
    }

    private func seek(at now: TimeInterval, _ move: (inout FrameTimeline) -> Void) {
        // A finished animation does not start to play again, but can be started from the new position.
        isStarted = isPlaying
        move(&timeline)
        if lastTime != nil { lastTime = now }
        if isSeen { showCurrent() }
    }

    /// Adds the time since the last update to the current frame, before time stops or its rate changes.
    private func pass(to now: TimeInterval) {
        guard let last = lastTime else { return }
        timeline.stay(for: now - last)
        lastTime = now
    }
}
