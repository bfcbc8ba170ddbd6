public import Foundation
public import FoundationNetworking

/// An error of the library, by the stage that failed.
// Indirect, to keep results and stack frames small.
public indirect enum KingfisherError: Error {
    /// The request could not be made or was cancelled.
    public enum RequestErrorReason: Sendable {
        /// A request modifier returned no request.
        case emptyRequest
        /// The request has no URL, or an empty one.
        case invalidURL(request: URLRequest)
        /// The download was cancelled for this caller.
        case taskCancelled(task: SessionDataTask, token: SessionDataTask.CancelToken)
        /// The Swift task around the load of a live photo was cancelled.
        case livePhotoTaskCancelled(source: LivePhotoSource)
        /// The Swift task around the request was cancelled.
        case asyncTaskContextCancelled
        /// The load from a provider was cancelled.
        case dataProviderCancelled(provider: any ImageDataProvider)
    }

    /// There was no response, or it was not acceptable.
    public enum ResponseErrorReason: Sendable {
        /// The response is not HTTP.
        case invalidURLResponse(response: URLResponse)
        /// The status is outside 200..<400, or the delegate refused it.
        case invalidHTTPStatusCode(response: HTTPURLResponse)
        /// The transport failed. `error` is a `URLError` whose underlying error has the details.
        case URLSessionError(error: any Error)
        /// The delegate returned no data for the downloaded data.
        case dataModifyingFailed(task: SessionDataTask)
        /// The transfer ended without a response.
        case noURLResponse(task: SessionDataTask)
        /// The delegate cancelled the transfer when it saw the response.
        case cancelledByDelegate(response: URLResponse)
    }

    /// The cache could not be read or written.
    public enum CacheErrorReason: Sendable {
        /// The folder cannot be listed.
        case fileEnumeratorCreationFailed(url: URL)
        /// The folder cannot be listed completely.
        case invalidFileEnumeratorContent(url: URL)
        /// A file's metadata cannot be read.
        case invalidURLResource(error: any Error, key: String, url: URL)
        /// A file exists, but its content cannot be read.
        case cannotLoadDataFromDisk(url: URL, error: any Error)
        /// The cache's folder cannot be created.
        case cannotCreateDirectory(path: String, error: any Error)
        /// Nothing is cached under the key, and the request may use only the cache, or a newer request has
        /// superseded it before it reached its source.
        case imageNotExisting(key: String)
        /// A value cannot be turned into data.
        case cannotConvertToData(object: any Sendable, error: any Error)
        /// The serializer returned no data for the image.
        case cannotSerializeImage(
            image: KFCrossPlatformImage?, original: Data?, serializer: any CacheSerializer)
        /// A file cannot be written.
        case cannotCreateCacheFile(fileURL: URL, key: String, data: Data, error: any Error)
        /// A file's times or attributes cannot be set.
        case cannotSetCacheFileAttribute(
            filePath: String, attributes: [FileAttributeKey: any Sendable], error: any Error)
        /// The storage's folder could not be created when the storage was opened.
        case diskStorageIsNotReady(cacheURL: URL)
        /// A loaded file of a live photo is not on disk: its type is unknown, or it was removed.
        case missingLivePhotoResourceOnDisk(_ resource: LivePhotoResource)
    }

    /// The bytes or the image could not be processed.
    public enum ProcessorErrorReason: Sendable {
        /// The processor returned no image for `item`.
        case processingFailed(processor: any ImageProcessor, item: ImageProcessItem)
    }

    /// A view could not show the result.
    public enum ImageSettingErrorReason: Sendable {
        /// There is no source.
        case emptySource
        /// A newer request of the view superseded this one, whose outcome is `result` or `error`.
        case notCurrentSourceTask(result: RetrieveImageResult?, error: (any Error)?, source: Source)
        /// A provider failed with `error`.
        case dataProviderError(provider: any ImageDataProvider, error: any Error)
        /// Every source failed: the requested one, then the alternatives in their order.
        case alternativeSourcesExhausted([PropagationError])
        /// A newer load of the view superseded this one of a live photo, whose outcome is `result` or
        /// `error`.
        case notCurrentLivePhotoSourceTask(
            result: LivePhotoLoadingInfoResult?, error: (any Error)?, source: LivePhotoSource)
        /// The view could not show the files of `result` as a live photo.
        case livePhotoResultError(
            result: LivePhotoLoadingInfoResult?, error: (any Error)?, source: LivePhotoSource)
    }

    /// The load exceeds a resource limit. These reasons exist on Linux only.
    public enum ResourceErrorReason: Sendable {
        /// The queue of loads that wait for memory or for a connection is full
        /// (`KingfisherManager.maximumQueueLength`), or the server refuses requests for more than 60 seconds
        /// (`ImageDownloader.requestRate`). `retryAfter` is the time in seconds until there is room, which is
        /// an estimate, or until the server accepts requests.
        case overloaded(retryAfter: TimeInterval)
        /// The body or decoding takes `required` bytes, more than the manager's whole `budget`. Determined
        /// from the header, or, for a body of unknown length, when it exceeds the budget.
        case memoryBudgetExceeded(required: Int, budget: Int)
        /// The server sent more slowly than `ImageDownloader` accepts while other downloads from it waited.
        /// `error` is a `URLError` whose underlying error has the rate.
        case tooSlow(error: any Error)
        /// The source is known to have no image, by an earlier request (`NegativeCaching`) or by a cache tier
        /// (`TierReading.negative`). The server answered `statusCode`; nil if its response was not an image.
        /// `retryAfter` is the time in seconds until the source is loaded again.
        case knownFailure(statusCode: Int?, retryAfter: TimeInterval)
    }

    /// The request could not be made, or was cancelled.
    case requestError(reason: RequestErrorReason)
    /// The server or the network failed.
    case responseError(reason: ResponseErrorReason)
    /// A cache could not be read or written.
    case cacheError(reason: CacheErrorReason)
    /// A processor returned no image.
    case processorError(reason: ProcessorErrorReason)
    /// A view could not show the image, or no longer needs it.
    case imageSettingError(reason: ImageSettingErrorReason)
    /// The load exceeds a resource limit.
    case resourceError(reason: ResourceErrorReason)

    /// Whether the download was cancelled; false for a cancelled provider.
    public var isTaskCancelled: Bool {
        if case .requestError(.taskCancelled) = self { true } else { false }
    }

    /// Whether the server answered with the status `code`.
    public func isInvalidResponseStatusCode(_ code: Int) -> Bool {
        if case .responseError(.invalidHTTPStatusCode(let response)) = self {
            response.statusCode == code
        } else {
            false
        }
    }

    /// Whether the server answered with a status that is not accepted.
    public var isInvalidResponseStatusCode: Bool {
        if case .responseError(.invalidHTTPStatusCode) = self { true } else { false }
    }

    /// The time in seconds after which to try again, for `overloaded` and `knownFailure`; nil for other
    /// errors.
    public var retryAfter: TimeInterval? {
        switch self {
        case .resourceError(.overloaded(let seconds)), .resourceError(.knownFailure(_, let seconds)): seconds
        default: nil
        }
    }

    /// Whether a newer request of the view superseded this one.
    public var isNotCurrentTask: Bool {
        if case .imageSettingError(.notCurrentSourceTask) = self { true } else { false }
    }
}
