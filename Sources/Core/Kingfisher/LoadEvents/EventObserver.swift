import KingfisherTransport
import Synchronization

/// Observes the downloads of one load: reports their progress, and makes previews of their bytes.
final class EventObserver: DownloadObserver {
    private struct State {
        /// Weak, because the session's callers hold this object.
        weak var session: SessionDataTask?
        var round = 0
    }

    private let mailbox: EventMailbox
    private let previews: ProgressivePreviews?
    private let state = Mutex(State())

    init(_ mailbox: EventMailbox, options: KingfisherParsedOptionsInfo) {
        self.mailbox = mailbox
        previews = options.progressiveJPEG.map { progressive in
            ProgressivePreviews(
                progressive, options: options, on: .untouch, isWanted: { mailbox.acceptsEvents },
                display: { image in
                    mailbox.put(.preview(image))
                    return nil
                })
        }
    }

    func didReceive(from session: SessionDataTask) {
        let round = state.withLock { state in
            if state.session !== session {
                state.session = session
                state.round += 1
            }
            return state.round
        }
        if let total = session.response?.announcedBodyBytes, total > 0 {
            mailbox.putProgress(received: Int64(session.byteCount), total: Int64(total), round: round)
        }
        previews?.didReceive(from: session)
    }

    func didEnd(_ session: SessionDataTask) {
        previews?.didEnd(session)
    }
}
