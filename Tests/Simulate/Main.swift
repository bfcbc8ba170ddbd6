import FleetSimulation
@main struct Main {
    static func main() {
        let r = Fleet(FleetSettings()).run()
        print(
            r.total.requests, r.total.outcomes, r.total.readings, r.total.builds, r.buildsPerImage,
            r.mostBuilds, r.total.slowestRead)
    }
}
