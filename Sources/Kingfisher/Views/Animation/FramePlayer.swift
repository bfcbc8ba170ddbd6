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

    init(_ image: Image, frames: any FrameSupply, plays: UInt?, isStarted: Bool) {
        self.image = image
        self.frames = frames
        self.isStarted = isStarted
        timeline = FrameTimeline(durations: frames.durations, plays: plays)
    }

    var isPlaying: Bool { isStarted && !timeline.isFinished }

    func start() {
        if timeline.isFinished { timeline.restart() }
        isStarted = true
    }

    func stop() {
        isStarted = false
    }

    func update(isSeen: Bool, at now: TimeInterval) {
        self.isSeen = isSeen
        let isRunning = isSeen && isPlaying
        if isRunning != (lastTime != nil) {
            lastTime = isRunning ? now : nil
            frames.setActive(isRunning)
            // The change of `setActive` has cleared the awaited frame.
            needsUpdate = needsUpdate || timeline.isHeld
        }
        // A visible image gets one frame of the right size even if it does not play.
        if isRunning || isSeen && shown != nil { showCurrent() }
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
        guard shownIndex != timeline.index else { return }
        _ = show(timeline.index)
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
