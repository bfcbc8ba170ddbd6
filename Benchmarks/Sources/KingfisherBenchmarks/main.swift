import Foundation
import Glibc
import Kingfisher
import KingfisherFormats

// One process measures one engine in one row. `scripts/bench` starts it and its peers on one core.
let arguments = Array(CommandLine.arguments.dropFirst())

do {
    ImageCodecs.registerAll()
    switch (arguments.first, arguments.dropFirst().first) {
    case ("thumb", let path?):
        try Worker.serve(Thumb(path: path, side: arguments.dropFirst(2).first, usesIdleCores: true))
    case ("thumb-alone", let path?):
        try Worker.serve(Thumb(path: path, side: arguments.dropFirst(2).first, usesIdleCores: false))
    case ("thumb-isolated", let path?):
        let options = arguments.dropFirst(2)
        try Worker.serve(
            IsolatedThumb(path: path, side: options.first, uses: options.dropFirst().first))
    case ("step", let path?): try Worker.serve(Step(path: path, step: arguments.dropFirst(2).first))
    case ("depth", let bits?): try Worker.serve(Depth(bits: bits, step: arguments.dropFirst(2).first))
    case ("decode", let path?): try Worker.serve(Decode(path: path))
    case ("frames", let path?): try Worker.serve(Frames(path: path))
    case ("zoom-open", let path?):
        try Worker.serve(ZoomOpen(path: path, size: arguments.dropFirst(2)))
    case ("first-frame", let path?): try Worker.serve(Frames(path: path, isFirstOnly: true))
    case ("download", let base?):
        let numbers = arguments.dropFirst(2).prefix(2).compactMap { Int($0) }
        guard numbers.count == 2 else {
            throw BenchmarkError("download BASE_URL COUNT CONCURRENCY [AUTHORITY]")
        }
        try Worker.serve(
            Download(
                base: base, count: numbers[0], concurrency: numbers[1],
                authority: arguments.dropFirst(4).first))
    case ("body", let url?): try Worker.serve(BodyDownload(url: url))
    case ("encode", let format?):
        let options = arguments.dropFirst(2)
        try Worker.serve(
            Encode(as: format, path: options.first ?? "", quality: options.dropFirst().first))
    case ("resize", _?), ("blur", _?), ("sharpen", _?): try Worker.serve(PixelLoops(arguments))
    case ("disk", let engine?): try Worker.serve(DiskWork.make(engine, arguments.dropFirst(2)))
    case ("memory-get", nil): try Worker.serve(MemoryGet())
    case ("memory-get-nscache", nil): try Worker.serve(NSCacheGet())
    case ("memory-get-dictionary", nil): try Worker.serve(DictionaryLRUGet())
    case ("memory-mixed", nil): try Worker.serve(MemoryMixed<MixedStorage>())
    case ("memory-mixed-nscache", nil): try Worker.serve(MemoryMixed<MixedNSCache>())
    case ("memory-mixed-dictionary", nil): try Worker.serve(MemoryMixed<DictionaryLRU<CountedImage>>())
    case ("held-images", let path?): try Worker.serve(HeldImages(path: path))
    case ("memory-hit", nil): try Worker.serve(MemoryHit())
    case ("coalescing", let port?): try Worker.serve(Coalescing(port: port, isSeparate: false))
    case ("coalescing-separate", let port?): try Worker.serve(Coalescing(port: port, isSeparate: true))
    case (let job?, let port?) where Load.Job(rawValue: job) != nil:
        if let job = Load.Job(rawValue: job) { try Worker.serve(Load(job, port: port)) }
    case ("first-byte", let path?):
        guard let percentile = arguments.dropFirst(2).first.flatMap({ Int($0) }) else {
            throw BenchmarkError("first-byte FILE PERCENTILE")
        }
        try Worker.serve(FirstByte(path: path, percentile: percentile))
    case ("round-corner", nil): try Worker.serve(RoundCorner())
    case ("colors", let job?): try Worker.serve(Colors(job: job))
    case ("image-copy", nil): try Worker.serve(ImageCopy())
    case ("placeholder", let kind?):
        guard arguments.count == 4, let rounds = Int(arguments[3]) else {
            throw BenchmarkError("placeholder blurhash|thumbhash FILE ROUNDS")
        }
        try Worker.serve(Placeholders(kind: kind, path: arguments[2], rounds: rounds))
    case ("image-server", let path?): try ImageServer.serve(path: path)
    default:
        throw BenchmarkError(
            "usage: KingfisherBenchmarks thumb|thumb-alone|thumb-isolated FILE SIDE | decode|frames|first-frame|image-server FILE"
                + " | zoom-open FILE WIDTH HEIGHT | encode FORMAT FILE [QUALITY] | step FILE STEP | depth 8|16 STEP"
                + " | memory-get|memory-get-nscache|memory-get-dictionary|memory-hit"
                + " | memory-mixed|memory-mixed-nscache|memory-mixed-dictionary"
                + " | round-corner|image-copy | held-images FILE"
                + " | colors BLEND_MODE|controls | placeholder blurhash|thumbhash FILE ROUNDS"
                + " | resize FILE WIDTH HEIGHT TO_WIDTH TO_HEIGHT | blur FILE WIDTH HEIGHT RADIUS"
                + " | disk kingfisher|port|bare put|get|hit|miss|evict FOLDER SIZES"
                + " | coalescing|coalescing-separate|load-cold|load-cold-parts|load-disk|load-disk-parts"
                + "|load-disk-hit|load-disk-hit-parts PORT"
                + " | first-byte FILE PERCENTILE | download BASE_URL COUNT CONCURRENCY | body URL")
    }
} catch {
    FileHandle.standardError.write(Data("KingfisherBenchmarks: \(error)\n".utf8))
    exit(1)
}
