import KingfisherTestSupport

/// Traces of programs with a user interface.
extension TraceMaker {
    /// A feed of posts, newest first, by authors with an avatar each. It is read from the top to some depth,
    /// occasionally backwards, and later again from the top, when there are new posts.
    mutating func feed() -> Trace {
        var sizes: [Int] = []
        func add(_ new: [Int]) -> Range<Int> {
            sizes += new
            return (sizes.count - new.count)..<sizes.count
        }
        let authors = 2_000
        let fame = Zipf(authors, 1)
        let icons = add((0..<40).map { _ in Int.random(in: 10_000...20_000, using: &random) })
        let avatars = add((0..<authors).map { _ in Int.random(in: 10_000...60_000, using: &random) })
        let imageSizes = Sizes(median: 1_200_000, sigma: 0.6, bounds: 60_000...12_000_000)
        let fullSizes = Sizes(median: 9_000_000, sigma: 0.4, bounds: 2_000_000...20_000_000)

        struct Post {
            let avatar: Int
            let images: Range<Int>
            let full: Int
        }
        var requests: [Int] = []
        func post() -> Post {
            let count =
                Double.random(in: 0..<1, using: &random) < 0.7 ? 1 : Int.random(in: 2...4, using: &random)
            return Post(
                avatar: avatars.lowerBound + fame.draw(using: &random),
                images: add(imageSizes.draw(count, using: &random)),
                full: add(fullSizes.draw(1, using: &random)).lowerBound)
        }
        func show(_ post: Post) {
            requests.append(post.avatar)
            requests += post.images
            if Double.random(in: 0..<1, using: &random) < 0.15 {
                requests.append(Int.random(in: icons, using: &random))
            }
            if Double.random(in: 0..<1, using: &random) < 0.02 {
                requests.append(post.full)
                if Bool.random(using: &random) { requests.append(post.full) }
            }
        }

        var posts: [Post] = []  // Oldest first; the feed is read from the end.
        var older: [Post] = []  // Posts before these, in scrolling order.
        while requests.count < length {
            for _ in 0..<Int.random(in: 20...80, using: &random) { posts.append(post()) }
            let depth = min(30 + random.trials(mean: 150), 2_000)
            while posts.count + older.count < depth { older.append(post()) }
            func at(_ row: Int) -> Post {
                row < posts.count ? posts[posts.count - 1 - row] : older[row - posts.count]
            }
            for row in 0..<depth {
                show(at(row))
                guard row > 0, Double.random(in: 0..<1, using: &random) < 0.06 else { continue }
                let top = row - min(row, random.trials(mean: 8))
                for back in (top..<row).reversed() { show(at(back)) }
                for again in top...row { show(at(again)) }
            }
        }
        return Trace("feed", requests: requests, sizes: sizes)
    }

    /// Albums of thumbnails in rows of six, some more popular than others. Images are opened in full screen
    /// with both neighbours prefetched, and swiped mostly forward.
    mutating func gallery() -> Trace {
        let albums = (0..<200).map { _ in Int.random(in: 50...400, using: &random) }
        let starts = albums.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1) }
        let total = albums.reduce(0, +)
        let fullSizes = Sizes(median: 8_000_000, sigma: 0.3, bounds: 3_000_000...20_000_000)
        let sizes =
            (0..<total).map { _ in Int.random(in: 90_000...260_000, using: &random) }
            + fullSizes.draw(total, using: &random)
        let popularity = Zipf(albums.count, 0.9)

        var requests: [Int] = []
        while requests.count < length {
            let album = popularity.draw(using: &random)
            let thumbnails = starts[album]..<starts[album + 1]
            let depth = min(thumbnails.count, 20 + random.trials(mean: 120))
            for row in stride(from: 0, to: depth, by: 6) {
                requests += thumbnails.dropFirst(row).prefix(6)
                if Double.random(in: 0..<1, using: &random) < 0.1 {
                    requests += thumbnails.dropFirst(max(0, row - 18)).prefix(min(row, 18))
                }
                if Double.random(in: 0..<1, using: &random) < 0.08 {
                    var shown = min(row + Int.random(in: 0..<6, using: &random), thumbnails.count - 1)
                    for _ in 0..<random.trials(mean: 5) {
                        for near in [shown, shown + 1, shown - 1]
                        where thumbnails.indices.contains(
                            thumbnails.lowerBound + near)
                        {
                            requests.append(total + thumbnails.lowerBound + near)
                        }
                        shown += Double.random(in: 0..<1, using: &random) < 0.75 ? 1 : -1
                        shown = min(max(0, shown), thumbnails.count - 1)
                    }
                }
            }
        }
        return Trace("gallery", requests: requests, sizes: sizes)
    }
}
