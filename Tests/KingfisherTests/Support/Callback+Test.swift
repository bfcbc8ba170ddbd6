import Foundation

@testable import Kingfisher

extension SessionDataTask.Callback {
    /// A callback that receives an image or an error.
    convenience init(
        options: KingfisherParsedOptionsInfo, progress: SendableProgressBlock?,
        completion: @escaping @Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void
    ) {
        let order = DownloadOrder(
            url: URL(filePath: "/"), options: options, task: DownloadTask(), progressBlock: progress)
        self.init(order) { outcome in
            if let result = outcome.result { completion(result) }
        }
    }
}
