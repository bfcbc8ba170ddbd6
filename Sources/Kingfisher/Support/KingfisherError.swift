public import Foundation
public import FoundationNetworking

/// Everything that can go wrong with a request, by stage.
// Indirect, so that results and frames that may hold an error are small.
public indirect enum KingfisherError: Error {
    /// The request could not be made or was given up.
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

    /// The server's answer is no image, or none came.
    public enum ResponseErrorReason: Sendable {
        /// The answer is not HTTP.
        case invalidURLResponse(response: URLResponse)
        /// The status is outside 200..<400, or the delegate refused it.
        case invalidHTTPStatusCode(response: HTTPURLResponse)
        /// The transport failed; `error` is a `URLError` whose underlying error tells more.
        case URLSessionError(error: any Error)
        /// The delegate returned no data for the downloaded data.
        case dataModifyingFailed(task: SessionDataTask)
        /// The transfer ended without any answer.
        case noURLResponse(task: SessionDataTask)
        /// The delegate cancelled the transfer when it saw the response.
        case cancelledByDelegate(response: URLResponse)
    }

    /// The cache could not be read or written.
    public enum CacheErrorReason: Sendable {
        /// The folder cannot be listed.
        case fileEnumeratorCreationFailed(url: URL)
        /// The listing of the folder broke off.
        case invalidFileEnumeratorContent(url: URL)
        /// A file's metadata cannot be read.
        case invalidURLResource(error: any Error, key: String, url: URL)
        /// A file is there but its content cannot be read.
        case cannotLoadDataFromDisk(url: URL, error: any Error)
        /// The cache's folder cannot be created.
        case cannotCreateDirectory(path: String, error: any Error)
        /// Nothing is cached under the key, and only the cache may be asked.
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
        /// The storage's folder could not be created when the storage was made.
        case diskStorageIsNotReady(cacheURL: URL)
        /// A file of a live photo is not on disk although it was loaded: its type is not known, or it was
        /// removed.
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
        /// A newer request of the view took over; `result` or `error` is what this one came to.
        case notCurrentSourceTask(result: RetrieveImageResult?, error: (any Error)?, source: Source)
        /// A provider failed with `error`.
        case dataProviderError(provider: any ImageDataProvider, error: any Error)
        /// Every source failed: the one asked for, then those that stood in for it, in their order.
        case alternativeSourcesExhausted([PropagationError])
        /// A newer load of the view took over; `result` or `error` is what this one of a live photo came to.
        case notCurrentLivePhotoSourceTask(
            result: LivePhotoLoadingInfoResult?, error: (any Error)?, source: LivePhotoSource)
        /// What shows live photos could make none of the files of `result`.
        case livePhotoResultError(
            result: LivePhotoLoadingInfoResult?, error: (any Error)?, source: LivePhotoSource)
    }

    /// The load would take more of the machine than it may; these exist on Linux only.
    public enum ResourceErrorReason: Sendable {
        /// As many loads wait for memory as may; `retryAfter` is the time in seconds after which there is
        /// likely to be room. See `KingfisherManager.memoryBudget`.
        case overloaded(retryAfter: TimeInterval)
        /// The body, or decoding the image, takes `required` bytes, more than the `budget` that all loads of
        /// the manager have together. Found out from the header; of a body whose length is not announced,
        /// when it exceeds the budget.
        case memoryBudgetExceeded(required: Int, budget: Int)
        /// The server sent more slowly than `ImageDownloader` accepts while other downloads from it waited;
        /// `error` is a `URLError` whose underlying error tells the rate.
        case tooSlow(error: any Error)
        /// A cache tier remembers that the source has no image: its server answered `statusCode`, or, where
        /// that is nil, something that is no image. `retryAfter` is the time in seconds after which the
        /// source is asked again. See `TierReading.negative`.
        case knownFailure(statusCode: Int?, retryAfter: TimeInterval)
    }

    /// The request could not be made, or was given up.
    case requestError(reason: RequestErrorReason)
    /// The server or the network did not give what was asked for.
    case responseError(reason: ResponseErrorReason)
    /// A cache could not keep or find something.
    case cacheError(reason: CacheErrorReason)
    /// A processor made no image.
    case processorError(reason: ProcessorErrorReason)
    /// A view did not get, or no longer wanted, the image.
    case imageSettingError(reason: ImageSettingErrorReason)
    /// The load would take more of the machine than it may.
    case resourceError(reason: ResourceErrorReason)

    /// Whether the download was cancelled; a cancelled provider does not count.
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

    /// Seconds after which a load that was refused for lack of memory, or whose source is known to have no
    /// image, may be tried again; nil for other errors.
    public var retryAfter: TimeInterval? {
        switch self {
        case .resourceError(.overloaded(let seconds)), .resourceError(.knownFailure(_, let seconds)): seconds
        default: nil
        }
    }

    /// Whether a newer request of the view took over.
    public var isNotCurrentTask: Bool {
        if case .imageSettingError(.notCurrentSourceTask) = self { true } else { false }
    }
}
