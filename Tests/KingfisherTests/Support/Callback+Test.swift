import Foundation

@testable import Kingfisher

extension SessionDataTask.Callback {
    /// A callback that receives an image or an error.
    convenience init(
        options: KingfisherParsedOptionsInfo, progress: SendableProgressBlock?,
        observer: (any DownloadObserver)? = nil,
        completion: @escaping @Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void
    ) {
        let order = DownloadOrder(
            url: URL(filePath: "/"), options: options, task: DownloadTask(), progressBlock: progress,
            observer: observer)
        self.init(order) { outcome in
            switch outcome {
            case .arrived(let download): download.makeImage(options, completion: completion)
            case .made(let result): completion(.success(result))
            case .failed(let error): completion(.failure(error))
            case .confirmed, .cacheHasChanged: break
            }
        }
    }
}
