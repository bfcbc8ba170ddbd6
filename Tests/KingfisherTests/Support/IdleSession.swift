import Foundation
@testable import Kingfisher
import KingfisherTestSupport

extension SessionDataTask {
    /// A task without a transfer.
    static func idle(_ bench: Bench, url: URL = Bench.freshURL()) -> SessionDataTask {
        SessionDataTask(
            request: URLRequest(url: url), key: TransferKey(url), downloader: bench.downloader)
    }
}
