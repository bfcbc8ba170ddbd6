public import KingfisherImage

/// An image of up to 1,000 megapixels of which only the parts that are asked for are decoded, for views that
/// zoom and pan.
///
///     let image = try await TiledImage.open(.provider(LocalFileImageDataProvider(fileURL: url)))
///     let whole = try await image.overview(covering: PixelSize(width: 1920, height: 1080))
///     let tile = try await image.tile(TiledImage.Tile(level: 0, column: 3, row: 2))
///
/// Level 0 has the pixels of the file, turned upright; each further level has half as many in both
/// directions. Each level is cut into tiles of ``tileLength`` pixels. Tiles of baseline JPEG and TIFF files
/// are decoded from the file, all others once from the whole image, which `ImageLimits` may refuse.
///
/// Safe from any thread. Files are read and decoded on background threads, in as many jobs at a time as there
/// are cores, for all images of the process. The first error of a file is final: all later calls throw it.
/// Images that were delivered before stay valid.
public final class TiledImage: Sendable {
    /// The width and height of a tile in pixels. Tiles at the right and the lower edge are smaller.
    public static let tileLength = 512
    /// The most pixels of an image whose format can be decoded in parts.
    public static let maximumPixels = 1_000_000_000

    /// The place of a tile.
    public struct Tile: Hashable, Sendable {
        /// 0 for the full size.
        public var level: Int
        /// From the left, beginning with 0.
        public var column: Int
        /// From the top, beginning with 0.
        public var row: Int

        /// Creates the place of a tile.
        public init(level: Int, column: Int, row: Int) {
            (self.level, self.column, self.row) = (level, column, row)
        }
    }

    /// The size of level 0 in pixels, after the orientation of the file is applied.
    public var size: PixelSize { levels.size }
    /// The number of levels. The last one is a single tile.
    public var levelCount: Int { levels.count }

    var jobCount: Int { worker.jobCount }
    var waitingCalls: Int { worker.waitingCalls }

    private let levels: TileLevels
    private let worker: TileWorker

    init(_ levels: TileLevels, _ worker: TileWorker) {
        (self.levels, self.worker) = (levels, worker)
    }

    /// Opens an image and reads its header. Nothing is decoded.
    ///
    /// A local file is opened in place. Other sources are loaded into the disk cache of the manager first, as
    /// by `KingfisherManager.retrieveFile`, and their file is held open.
    ///
    /// Throws the error of loading, `cannotLoadDataFromDisk` with an `ImageCodecError` if the file is not an
    /// image or exceeds a limit, and `asyncTaskContextCancelled` if the task is cancelled.
    public static func open(
        _ source: Source, options: KingfisherOptionsInfo? = nil, manager: KingfisherManager = .shared
    ) async throws(KingfisherError) -> TiledImage {
        try await TiledImageOpening(source, options, manager).run()
    }

    /// The size of a level in pixels: that of level 0, divided by 2 to the power of `level` and rounded up.
    ///
    /// A level below 0 counts as 0, and one above the last as the last.
    public func size(ofLevel level: Int) -> PixelSize { levels.size(of: level) }

    /// The whole image, decoded to the smallest level that is at least as large as `size` in both directions;
    /// to level 0 if none is.
    ///
    /// The first call reads the whole file to find out where its parts are, or decodes it.
    ///
    /// Throws `cannotLoadDataFromDisk` with the reason if the file cannot be read, has changed, is malformed
    /// or exceeds a limit, `cannotCreateCacheFile` without room for decoded tiles, and
    /// `asyncTaskContextCancelled` if the task is cancelled.
    public func overview(covering size: PixelSize) async throws(KingfisherError) -> Image {
        try await worker.image(of: .overview(level: levels.smallest(covering: size)))
    }

    /// One tile. Concurrent calls for the same tile share the work; a cancelled task leaves the queue.
    ///
    /// Throws as ``overview(covering:)`` does, and `imageNotExisting` for a tile outside of the image, which
    /// is not final.
    public func tile(_ tile: Tile) async throws(KingfisherError) -> Image {
        guard let area = levels.area(of: tile) else {
            let key = "tile \(tile.column), \(tile.row) of level \(tile.level)"
            throw .cacheError(reason: .imageNotExisting(key: key))
        }
        return try await worker.image(of: .tile(level: tile.level, area))
    }
}
